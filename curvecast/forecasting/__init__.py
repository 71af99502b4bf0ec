"""Your own runs: values in, a forecast out.

api         `curvecast.forecast(values)`         passes     many beginnings in few passes
user_input  what a user gives, as numbers        track_record   how a run fell so far
forecast    what is known of one run's future    shipped    the network in weights/
forecasts   many runs, set against one another
normalise   your unit and the network's          onnx_file  the network as an ONNX file
epochs, log_steps   your steps and the network's              schedule    your planned learning rate
network, density                     the network and its answers in numpy     torch_network   others, in torch
normal_law                           the functions that they need             doubts     why not to trust it
finished_runs                        bands from finished runs    first_passage    when; more than noise?
"""
