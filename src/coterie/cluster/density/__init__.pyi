from .eps import read_curve as read_curve
from .neighbourhoods import find_in_rows as find_in_rows
