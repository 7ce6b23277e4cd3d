"""The off-the-grid lasso on circles (sliding Frank-Wolfe), as of continuous shifts."""
