"""What plots share: axes and notes, clouds of points, marks, names, projections, the geometry of trees."""
