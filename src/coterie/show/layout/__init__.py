"""Where things are drawn, as numbers alone: planes, trees and flows. Plots and the report share them."""
