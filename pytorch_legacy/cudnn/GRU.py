"""GRU of cuDNN."""

from pytorch_legacy.cudnn.RNN import RNN


class GRU(RNN):
    """Layers of gated cells without a memory of their own.

    .. math:: h_t = (1 - z) \\odot n + z \\odot h_{t-1}, \\qquad
              n = \\tanh(W_n x_t + b_{Wn} + r \\odot (R_n h_{t-1} + b_{Rn}))

    where r and z are the logistic function of their parts of :math:`W x_t + b_W + R h_{t-1} + b_R`; r, z, n lie in this
    order in the matrices.

    Parameters, fields, shapes and errors are those of RNN.

    Notes
    -----
    Source: cudnn.torch ``GRU``.

    Examples
    --------
    >>> net = cudnn.GRU(1, 1, 1)
    >>> net.weight.fill(0)  # all gates are 0.5 then, and n is 0
    >>> net.hiddenInput = np.float32([[[8]]])
    >>> net.forward(np.ones((3, 1, 1), np.float32)).ravel()  # half of the last h each time
    array([4., 2., 1.], dtype=float32)
    """

    _mode = "CUDNN_GRU"
    mode = "CUDNN_GRU"
