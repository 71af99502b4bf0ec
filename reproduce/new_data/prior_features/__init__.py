"""What does the new prior improve and cost, and would another belief do better?"""
