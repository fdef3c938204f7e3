"""What known transforms and functions do to the numbers of a sample: those that read, keep, move, turn, draw or rescale them.

By full name where two libraries differ, else by the last part of it.
"""

from __future__ import annotations

import re
from typing import Any


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# --- transforms -------------------------------------------------------------------------------------------------------

#: What transforms of these categories do to the numbers: nothing but move them about, or keep them within their range.
KEEP = {
    "resize": "geometry",
    "crop": "geometry",
    "resized-crop": "geometry",
    "flip": "geometry",
    "geometry": "geometry",
    "blur": "geometry",
    "pad": "geometry",
    "erase": "geometry",
    "slice": "geometry",
    "mix": "geometry",
    "color": "colour",
    "cast": "type",
    "layout": "layout",
    "compose": "geometry",
}
SIZED = ("resize", "crop", "resized-crop")
FLIPS = ("RandomHorizontalFlip", "RandomVerticalFlip")
#: Libraries whose transforms are called, and work, as MindSpore's do.
ALIKE = ("torchvision.transforms.", "albumentations.", "paddle.vision.transforms.", "mindvision.", "mindcv.")
RANDOM_NAME = re.compile(r"^Random[A-Z]|^(CutOut|Cutout|Cutmix|CutMix|Mixup|MixUp|ColorJitter|AutoAugment)")
GREY = re.compile(r"GRAY|GREY|^L$|Grayscale", re.IGNORECASE)

# --- functions elsewhere ----------------------------------------------------------------------------------------------

#: Full name of a function that reads -> what it reads and the order of its colours.
READERS = {
    "cv2.imread": ("pixels", "BGR"),
    "cv2.imdecode": ("pixels", "BGR"),
    "mmcv.imread": ("pixels", "BGR"),
    "PIL.Image.open": ("pixels", "RGB"),
    "PIL.Image.new": ("pixels", "RGB"),
    "imageio.imread": ("pixels", "RGB"),
    "imageio.v2.imread": ("pixels", "RGB"),
    "imageio.v3.imread": ("pixels", "RGB"),
    "skimage.io.imread": ("pixels", "RGB"),
    "scipy.misc.imread": ("pixels", "RGB"),
    "scipy.ndimage.imread": ("pixels", "RGB"),
    "librosa.load": ("audio", ""),
    "librosa.core.load": ("audio", ""),
    "soundfile.read": ("audio", ""),
    "scipy.io.wavfile.read": ("audio", ""),
    "torchaudio.load": ("audio", ""),
    "open": ("text", ""),
    "io.open": ("text", ""),
    "codecs.open": ("text", ""),
    "json.load": ("text", ""),
    "json.loads": ("text", ""),
}
#: Readers that bring sound to a number of samples a second, with the one that they take unless told.
RESAMPLES = {"librosa.load": 22050.0, "librosa.core.load": 22050.0}
TABLES = re.compile(r"^pandas\.(read_\w+|DataFrame|concat|merge)$|^polars\.(read|scan)_\w+$|^csv\.(reader|DictReader)$")
ARRAYS = re.compile(
    r"^numpy\.(load|fromfile|loadtxt|genfromtxt|frombuffer|fromstring|memmap)$|^h5py\.File$|^pickle\.loads?$|loadmat$|^nibabel\.load$"
    r"|^tifffile\.imread$|^(matplotlib\.(image|pyplot)\.imread)$|^SimpleITK\.ReadImage$|^rawpy\.imread$|^sklearn\.datasets\.\w+$"
    r"|^mindspore\.load_checkpoint$|^cv2\.VideoCapture$|^decord\.VideoReader$|^struct\.unpack$|^(joblib|torch)\.load$"
)
PATHS = re.compile(r"^os\.|^glob\.|^pathlib\.|^fnmatch\.|^shutil\.|^moxing\.|^tempfile\.|^(str|sorted|input|repr)$")
MAKES = re.compile(
    r"^(Zeros|Ones|Fill|FillV2|Eye|Range|LinSpace|ZerosLike|OnesLike|Standard\w+|Uniform\w*|Normal|Rand\w*)$"
)
SIMULATORS = re.compile(r"^(gym|gymnasium|pettingzoo|dm_control|smac|mujoco_py|procgen|atari_py)\b")
GENERATES = re.compile(
    r"^numpy\.(random\.\w+|linspace|arange|zeros\w*|ones\w*|empty\w*|full\w*|eye|meshgrid|mgrid)$|^random\.\w+$"
    r"|^mindspore\.(ops|mint|numpy)\.(\w+\.)?(\w*(?i:normal|uniform)\w*|\w*rand\w*|\w*zeros\w*|\w*ones\w*|linspace|arange|eye)$"
    r"|^torch\.(rand\w*|zeros|ones|empty)$"
)
#: Functions and methods that give back the numbers of their first input as they are, in another form or place.
SAME = _set(
    """
    array asarray ascontiguousarray asanyarray copy deepcopy Tensor tensor Parameter stack concatenate concat
    vstack hstack dstack cat tile repeat broadcast_to atleast_1d atleast_2d atleast_3d ravel list tuple iter
    next enumerate zip sorted reversed asnumpy numpy tolist item items values keys get copy_ contiguous detach
    cpu float32 float64 float16 float half double from_numpy fromarray astype type to Cast cast view flatten
    getdata tobytes to_numpy iloc loc head create_dict_iterator create_tuple_iterator get_next __next__
    stop_gradient Depend depend reset_index drop sample filter array_split chain tqdm result partial squeeze
    Squeeze asDirect compress where select_columns dropna fillna bool int uint8 int8 int16 int32 int64 long
    uint16 load_dataset
    """
)
WHOLE = re.compile(r"^(u?int(8|16|32|64)?|long|bool_?|uint8)$")
WHOLE_TYPE = re.compile(r"^(np\.|numpy\.|mstype\.|ms\.)?(u?int\d*|long|bool_?)$")
#: Those that only change where the numbers are: size, place, order of the axes.
GEOMETRY = _set(
    """
    resize crop flip fliplr flipud rot90 rotate pad copyMakeBorder warpAffine warpPerspective remap zoom
    thumbnail center_crop roll take take_along_axis imresize rescale_image resample expand paste transpose_image
    ResizeBilinear ResizeNearestNeighbor interpolate Pad GaussianBlur blur medianBlur bilateralFilter filter2D
    gaussian_filter gaussian_blur fit affine shear translate imrotate perspective undistort letterbox
    """
)
#: Those of them that put pixels elsewhere, [::-1] being a flip.
MOVES = _set(
    """
    flip fliplr flipud rot90 rotate warpAffine warpPerspective crop center_crop roll affine shear translate imrotate perspective [::-1]
    """
)
LAYOUT = _set(
    """
    transpose swapaxes moveaxis rollaxis permute Transpose reshape Reshape expand_dims ExpandDims unsqueeze
    newaxis transpose_
    """
)
COLOUR = _set("cvtColor convert split merge grayscale to_grayscale rgb2gray putalpha mix_channels")
#: Where an axis goes, of an image.
MOVED = {
    ("moveaxis", -1, 0): "CHW",
    ("moveaxis", 2, 0): "CHW",
    ("rollaxis", 2): "CHW",
    ("rollaxis", 2, 0): "CHW",
    ("rollaxis", -1): "CHW",
    ("rollaxis", -1, 0): "CHW",
    ("moveaxis", 0, -1): "HWC",
    ("moveaxis", 0, 2): "HWC",
    ("rollaxis", 0, 3): "HWC",
}
STATISTIC = _set(
    """
    max min amax amin mean std var norm sum median percentile ptp nanmean nanstd nanmax nanmin ReduceMax
    ReduceMin ReduceMean Norm quantile
    """
)
#: Those that change the numbers in a way that is not linear: afterwards the range is unknown.
FUNCTION = _set(
    """
    log log1p log2 log10 sqrt exp power square pow sign tanh sigmoid softmax sin cos fft rfft stft
    melspectrogram fbank equalizeHist LUT addWeighted add subtract multiply divide true_divide convertScaleAbs
    threshold Canny dilate erode
    """
)
#: Features of speech: their first coefficients are in the tens, the others in single numbers.
FEATURES = _set("mfcc psf_mfcc")
#: Those that bring numbers to a common scale by themselves.
NORMALISES = _set(
    """
    normalize imnormalize standardize standardise normalise zscore scale minmax_scale maxabs_scale robust_scale
    per_image_standardization img_as_float img_as_float32 img_as_float64 rescale_intensity power_to_db
    amplitude_to_db
    """
)
SCALERS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("StandardScaler", "MaxAbsScaler", "RobustScaler", "Normalizer", "QuantileTransformer", "PowerTransformer"), ()
    ),
    "MinMaxScaler": ("feature_range",),
    "Normalizer": ("norm",),
    "PowerTransformer": ("method",),
}
#: What does not change the numbers that they give, and what they do unless they are told otherwise.
SCALER_ASIDE = _set("copy random_state subsample")
SCALER_DEFAULTS: dict[str, Any] = {
    "feature_range": (0, 1),
    "with_mean": True,
    "with_std": True,
    "with_centering": True,
    "with_scaling": True,
    "quantile_range": (25.0, 75.0),
    "output_distribution": "uniform",
    "norm": "l2",
    "method": "yeo-johnson",
    "standardize": True,
}
#: Numbers about samples, such as lengths and ids.
NUMBERS = _set("get_dataset_size len index count keys size argmax argsort")
CLIPS = _set("clip clamp minimum maximum clip_by_value Minimum Maximum")
TRANSPOSES = _set("transpose permute Transpose moveaxis rollaxis")
COUNTS = _set("@shape @size @ndim @dtype @itemsize @nbytes @width @height @columns @index @mode")
ARITHMETIC = {
    "add": "+",
    "Add": "+",
    "subtract": "-",
    "sub": "-",
    "Sub": "-",
    "multiply": "*",
    "mul": "*",
    "Mul": "*",
    "divide": "/",
    "true_divide": "/",
    "div": "/",
    "Div": "/",
    "RealDiv": "/",
    "TensorAdd": "+",
}
CHANCE = re.compile(
    r"^(numpy\.random|random)\.(?!seed|Random$|RandomState|default_rng|get_state|set_state|shuffle|Generator)\w+$"
    r"|^mindspore\.(ops|mint|numpy)\.(\w+\.)?\w*(?i:rand|normal|uniform)\w*$"
)
COMPUTES = _set("+ - * / // % ** neg < <= > >= == != not ~ slice int float round abs min max bool")
ROUNDS = _set(
    """
    item floor ceil rint round int32 int64 float32 astype clip minimum maximum array asarray tolist sqrt exp log tuple list
    getRotationMatrix2D getAffineTransform getPerspectiveTransform
    """
)
DRAWS = _set("rand randn randint random uniform normal choice integers sample standard_normal permutation beta")
#: Functions of one array; what else they take are widths and numbers, which may come from data too.
WIDENS = _set("pad tile repeat roll broadcast_to")
