"""One step of training, which scales the loss and passes steps over whose gradients overflow."""

from mindspore import amp, nn, ops

unscale = ops.MultitypeFuncGraph("unscale")


@unscale.register("Tensor", "Tensor")
def unscaled(scale, gradient):
    return gradient * ops.cast(ops.reciprocal(scale), gradient.dtype)


class TrainStep(nn.TrainOneStepWithLossScaleCell):
    def construct(self, *inputs):
        loss = self.network(*inputs)
        scale = self.scale_sense
        sens = ops.ones_like(loss) * ops.cast(scale, loss.dtype)
        gradients = self.grad(self.network, self.weights)(*inputs, sens)
        gradients = self.hyper_map(ops.partial(unscale, scale), gradients)
        gradients = self.grad_reducer(gradients)
        overflow = ops.logical_not(amp.all_finite(gradients))
        if self.loss_scaling_manager is not None:
            overflow = self.loss_scaling_manager(self.scale_sense, overflow)
        if not overflow:
            loss = ops.depend(loss, self.optimizer(gradients))
        return loss, overflow, scale
