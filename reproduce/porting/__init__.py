"""Four ports of a student blog, why they scored as they did, and our port in stock layers."""
