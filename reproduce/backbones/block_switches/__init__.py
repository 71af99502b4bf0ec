"""What does each change of a transformer’s block bring, one at a time, at equal parameters?

question  trainings, scores, figures and claims
costs     time of a training step, and of attention to a cached past
"""
