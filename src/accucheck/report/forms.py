"""How private data looks: patterns and words, as data. `redact.py` applies them.

Each pattern takes time linear in the text: what repeats is bounded, or nothing that follows can match what it took. Forms of tokens are
those that their makers document.
"""

from __future__ import annotations

import re

from ..language import Words


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: What is counted, in the order in which it is told.
KINDS: Words = {
    "secret": {"en": "tokens, keys and passwords", "zh": "令牌、密钥与密码"},
    "signed": {"en": "signed addresses", "zh": "带签名的地址"},
    "user": {"en": "user names", "zh": "用户名"},
    "phone": {"en": "mobile numbers", "zh": "手机号"},
    "identity": {"en": "identity numbers", "zh": "身份证号"},
    "staff": {"en": "staff numbers", "zh": "工号"},
    "host": {"en": "host names", "zh": "主机名"},
    "ip": {"en": "IP addresses", "zh": "IP 地址"},
    "mac": {"en": "MAC addresses", "zh": "MAC 地址"},
    "email": {"en": "e-mail addresses", "zh": "电子邮箱"},
    "proxy": {"en": "proxies", "zh": "代理地址"},
    "remote": {"en": "private repositories", "zh": "私有代码仓地址"},
    "path": {"en": "paths outside the project", "zh": "项目以外的路径"},
}

WORDS: Words = {
    "counted": {"en": "{kind}: {count}  {examples}", "zh": "{kind}：{count}  {examples}"},
    "nothing": {"en": "Nothing private was found.", "zh": "未发现隐私信息。"},
    "left": {
        "en": "{file}: {place}: {kind}: {shown}  (--allow {id})",
        "zh": "{file}：{place}：{kind}：{shown}  （--allow {id}）",
    },
    "left-unread": {
        "en": "{file}: {place}: not looked into  (--allow {id})",
        "zh": "{file}：{place}：未能检查  （--allow {id}）",
    },
    "unfinished": {
        "en": "The report is marked unfinished: {count} {count:place|places} may still be private. Change the note or the data, "
        "or accept each with --allow.",
        "zh": "报告已标记为未完成：仍有 {count} 处疑似隐私信息。请修改备注或数据，或用 --allow 逐处放行。",
    },
}

#: Names that say nothing of a person or a machine.
NOBODY = _words(
    "root admin administrator ubuntu ma-user user users test tester localhost guest nobody public shared default docker jenkins "
    "runner home app work workspace python conda mindspore ascend data model train hwhiaiuser"
)
PLACEHOLDER = re.compile(rf"<(?:{'|'.join(KINDS)})-\d+>|<project>")
PLACEHOLDER_END = re.compile(rf"(?:{PLACEHOLDER.pattern})\Z")

# --- what an address is -----------------------------------------------------------------------------------------------

URL = re.compile(r"(?<![A-Za-z0-9])([A-Za-z][A-Za-z0-9+.-]{1,20})://([^\s\"'<>`|\\^{}，。；、（）【】“”]+)")
FORGES = _words(
    "github.com gitee.com gitlab.com gitcode.com gitcode.net atomgit.com bitbucket.org huggingface.co hf.co modelscope.cn "
    "codeberg.org sourceforge.net openi.pcl.ac.cn git.openi.org.cn kernel.org googlesource.com openeuler.org"
)
PUBLIC = (*FORGES, "example.com", "example.org", "example.net", "example.edu")
STORES = _words("obs s3 s3a s3n oss cos cosn gs hdfs wasb wasbs abfs abfss viewfs webhdfs nfs smb cifs swift ceph")
BUCKET = re.compile(r"(?i)([\w.-]+)(\.(?:obs|oss|s3|cos|bcebos|tos|ks3)[\w.-]*\.(?:com|cn|net|com\.cn))")
INSIDE = re.compile(
    r"(?i)[\w-]+(?:\.[\w-]+)*\.(?:local|internal|corp|lan|intra|intranet|localdomain|home|priv|private|svc)"
)
SIGNING = re.compile(
    r"(?i)(?:^|[&;])(?:x-(?:amz|obs|oss|goog|cos)-(?:signature|credential|security-token)|signature|(?:aws|oss)?accesskeyid|googleaccessid"
    r"|sig|sign|q-signature|q-ak|security-?token|auth_key|key-pair-id|hmac)="
)
#: In the query of an address a value stands for itself: of these names it is hidden however short it is.
TOLD = re.compile(r"(?i)((?:^|[&;])[\w.-]{0,40}(?:password|passwd|pwd|secret|token)=)([^&;<>{}$\s]{4,})")
PARAMETER = re.compile(r"(?i)((?:^|[&;])(?:\w*token|\w*key|\w*secret|ticket|code)=)([\w.~%+/=-]{16,})")
FQDN = re.compile(
    r"(?ai)(?<![\w.@/\\])(?<!\w-)([a-z][\w-]{1,62})(?:\.[a-z0-9-]{1,60}){0,6}\."
    r"(?:local|internal|corp|lan|intra|intranet|localdomain|priv|private|svc)(?![\w-]|\.\w)"
)
MAIL = re.compile(
    r"(?a)(?<![\w.+-])([A-Za-z0-9_+-][\w.+-]{0,63})@((?:[A-Za-z0-9-]{1,63}\.){1,8}([A-Za-z]{2,24}))(?![\w(-]|\.\w)"
)
ZONES = _words(
    "com net org edu gov mil int info biz name pro io ai dev app cloud tech xyz top site online shop club vip wang ltd group mobi asia tel "
    "local lan corp internal intra intranet localdomain home"
)
ATTRIBUTES = _words("to at is it in do so as mt size data grad item shape view sum mean numpy float")
REMOTE = re.compile(
    r"(?a)(?<![\w.@])[A-Za-z0-9_][\w.-]{0,63}@([A-Za-z0-9][A-Za-z0-9.-]{0,200}):(?!\d+/)([\w~][\w.~-]*(?:/[\w.~-]+)+)"
)
PROMPT = re.compile(r"(?a)(?<![\w.@/])(?<!\w-)([A-Za-z_][\w.-]{0,31})@([A-Za-z0-9][A-Za-z0-9.-]{0,62})(?![\w.-]*@)")
SHELL = re.compile(r"(?:\b(?:ssh|scp|sftp|rsync|mosh|ssh-copy-id|sshpass|pdsh|user|login|用户)\b[^\n@]{0,60}|\[)\Z")
BEHIND = re.compile(r":[~/]|:\s*$|[ :]~|(?: [^\s\]]{1,60})?\][$#]|[$#] ")

QUAD = re.compile(r"(?a)(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)")
VERSION_BEFORE = re.compile(
    r"(?i)(?:ver(?:sion)?s?|release|rev(?:ision)?|build|tag|cann|driver|firmware|toolkit|mindspore|mindformers|pytorch|torch|tensorflow|"
    r"python|cuda|cudnn|nccl|hccl|ascend(?:cl)?|kernels?|package|pip|numpy|opp|nnae|nnrt|openmpi|gcc|glibc|onnx|section|"
    r"版本号?|固件|驱动|章节|节)"
    r"[\"']?\s*(?:[:=：>]+|is|to|为|是)?\s*[\"'\[(vV]*\Z|[=<>~!]=\s*[\"']?\Z|(?<![A-Za-z0-9])[vV]\Z"
)
#: A package such as mindspore-2.2.0.100-cp39 and what stands in names of files; addresses of private networks stand there too.
PACKAGE_BEFORE = re.compile(r"[A-Za-z]-[vV]?\Z")
PACKAGE_BEHIND = re.compile(r"\.[A-Za-z_]|-[A-Za-z0-9]")
ADDRESS_BEFORE = re.compile(
    r"(?i)(?:\bip(?:v4)?|addr(?:ess)?|host(?:name)?|server(?:_id)?|node|inet|gateway|netmask|peer|master|scheduler|worker|from|to|at|"
    r"connect(?:ed|ing)?|ping|ssh|listen(?:ing)?|bind|device_ip|ip地址|地址|主机|节点|服务器|//|@)"
    r"[\"']?\s*[:=：(\[]?\s*[\"'(\[]?(?:to |on )?\Z"
)
COLONS = re.compile(r"(?a)(?<![\w:.])[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,8}(?![\w:])")
MAC = re.compile(r"(?ai)(?<![\w:.])(?<!\w-)(?:[0-9a-f]{2}(?::[0-9a-f]{2}){5}|[0-9a-f]{2}(?:-[0-9a-f]{2}){5})(?![\w:-])")
MAC_DOTS = re.compile(r"(?ai)(?<![\w.])(?<!\w-)(?:[0-9a-f]{4}\.){2}[0-9a-f]{4}(?![\w.-])")

# --- what a secret is -------------------------------------------------------------------------------------------------

KEY_BLOCK = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?!-----END).)*(?:-----END [A-Z0-9 ]{0,40}-----)?", re.S
)
#: Forms that the makers of tokens document; each begins with what is looked for first.
TOKENS = {
    "gsk_": r"gsk_[A-Za-z0-9]{20,255}",
    "r8_": r"r8_[A-Za-z0-9]{30,60}",
    "hv": r"hv[sbr]\.[A-Za-z0-9_-]{20,255}",
    "dapi": r"dapi[0-9a-f]{32}(?:-\d)?",
    "AT": r"AT(?:ATT|CTT)[A-Za-z0-9_=-]{20,255}",
    "figd_": r"figd_[A-Za-z0-9_-]{20,255}",
    "AKCp": r"AKCp[A-Za-z0-9]{10,255}",
    "AGE-": r"AGE-SECRET-KEY-1[A-Z0-9]{20,255}",
    "SEC": r"SEC[0-9a-f]{64}",
    ":AA": r"(?:bot)?\d{8,10}:AA[A-Za-z0-9_-]{33}",
    "nvapi-": r"nvapi-[A-Za-z0-9_-]{20,255}",
    "gh": r"gh[pousr]_[A-Za-z0-9]{20,255}",
    "github_pat_": r"github_pat_[A-Za-z0-9_]{22,255}",
    "gl": r"gl(?:pat|dt|rt|ptt|cbt|ft|soat|agent|sa)[-_][A-Za-z0-9_-]{18,255}",
    "hf_": r"hf_[A-Za-z0-9]{24,64}",
    "api_org_": r"api_org_[A-Za-z0-9]{24,64}",
    "sk-": r"sk-[A-Za-z0-9_-]{20,255}",
    "sk_": r"sk_(?:live|test)_[A-Za-z0-9]{16,255}",
    "rk_": r"rk_(?:live|test)_[A-Za-z0-9]{16,255}",
    "AKIA": r"AKIA[A-Z0-9]{16}",
    "ASIA": r"ASIA[A-Z0-9]{16}",
    "AROA": r"AROA[A-Z0-9]{16}",
    "HST": r"HST[A-Z0-9]{17}",
    "LTAI": r"LTAI[A-Za-z0-9]{12,26}",
    "AKID": r"AKID[A-Za-z0-9]{13,40}",
    "AKLT": r"AKLT[A-Za-z0-9_-]{16,60}",
    "ALTAK": r"ALTAK[A-Za-z0-9-]{10,40}",
    "AIza": r"AIza[A-Za-z0-9_-]{35}",
    "ya29.": r"ya29\.[A-Za-z0-9_-]{20,255}",
    "xox": r"xox[abeoprs]-[A-Za-z0-9-]{10,255}",
    "xapp-": r"xapp-[A-Za-z0-9-]{10,255}",
    "eyJ": r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?",
    "pypi-": r"pypi-[A-Za-z0-9_-]{30,255}",
    "npm_": r"npm_[A-Za-z0-9]{30,255}",
    "dckr_": r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,255}",
    "SG.": r"SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64}",
    "ms-": r"ms-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}",
    "glsa_": r"glsa_[A-Za-z0-9_]{20,255}",
    "shpat_": r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}",
    "dop_v1_": r"do[opr]_v1_[a-f0-9]{64}",
    "wandb_": r"wandb_v\d_[A-Za-z0-9_]{20,255}",
}
TOKEN = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(TOKENS.values())})(?![A-Za-z0-9])")
BEARER = re.compile(
    r"(?i)\b(?:bearer|basic|aws4-hmac-sha256|apikey|negotiate)\s{1,4}((?=[A-Za-z._~+/=-]{0,200}\d)[A-Za-z0-9._~+/=-]{16,20000})"
)
AUTHORIZATION = re.compile(
    r"(?i)authorization[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?(?:bearer|basic|token|negotiate)[ \t]{1,4}([A-Za-z0-9._~+/=-]{8,20000})"
)
WANDB = re.compile(
    r"(?i)\b(?:wandb|swanlab|huggingface-cli|modelscope|docker|az|obsutil config)\s+login\s+(?:--?\S+[\s=]+){0,3}([A-Za-z0-9_-]{20,100})"
)

#: A pair of keys by place: what an access key and its secret look like, or the first arguments of a client.
PAIR = re.compile(
    r"([\"'])((?=[A-Z]{0,40}\d)[A-Z0-9]{16,40})\1[ \t]{0,4},\s{0,40}([\"'])((?=[A-Za-z/+]{0,80}\d)[A-Za-z0-9/+=]{30,80})\3"
)
CLIENT = re.compile(
    r"(?:Client|Credentials?|Auth|Minio|Session)\(\s{0,40}([\"'])([^\"'\s]{8,128})\1[ \t]{0,4},\s{0,40}([\"'])([^\"'\s]{8,128})\3"
)
#: The key of an encrypted checkpoint by place: before the name of its cipher.
CIPHERED = re.compile(r"b?([\"'])([^\"'\n]{8,64})\1[ \t]{0,4},\s{0,40}[\"'](?:AES|SM4)-[A-Z]{3}[\"']")
#: Bytes beside a key of which nothing says what it is for.
BYTES_KEY = re.compile(r"(?<![A-Za-z0-9])key[ \t]{0,4}=[ \t]{0,4}b([\"'])([^\"'\s]{16,32})\1")
#: The login of a file .netrc, and the record in kaggle.json.
NETRC = re.compile(
    r"\b(?:machine\s{1,20}\S{1,200}|default)\s{1,40}login\s{1,20}(\S{1,200})\s{1,40}password\s{1,20}((?=[A-Za-z]{0,100}[^A-Za-z\s])\S{3,200})"
)
NETRC_LINE = re.compile(r"(?m)^[ \t]{0,20}password[ \t]{1,8}((?=[A-Za-z]{0,40}\d)\S{6,200})[ \t]{0,8}$")
KAGGLE = re.compile(
    r"[\"']username[\"']\s{0,8}:\s{0,8}([\"'])([^\"'\n]{1,100})\1\s{0,8},\s{0,8}[\"']key[\"']\s{0,8}:\s{0,8}([\"'])([A-Za-z0-9_-]{16,100})\3"
)
#: A default in a shell: ${NAME:-value}.
DEFAULT = re.compile(r"\$\{([A-Za-z_]\w{0,60}):?[-=]([^}\s\"']{3,200})\}")
#: Programs, and the options that take a secret: as one word with it, or before it. A value may be quoted.
_PROGRAMS = (
    ("obsutil|ossutil|ossutil64|coscli", r"(?:-i|-k|-t|-ak|-sk|--?access-?key(?:-id)?|--?secret-?key)(?:=|[ \t]+)"),
    ("mysql|mysqldump|mysqladmin|mysqlimport|mariadb|mariadb-dump|mycli", r"-p"),
    ("sshpass", r"-p[ \t]*"),
    ("redis-cli", r"(?:-a|--pass)[ \t]+"),
    ("curl", r"(?:-[uU][ \t]*|--(?:proxy-)?user(?:=|[ \t]+))"),
    ("smbclient|smbget|rpcclient|mount.cifs", r"(?:-U[ \t]*|--user(?:=|[ \t]+))"),
    ("docker login|podman login|nerdctl login|helm registry login|mongo|mongosh|mongodump", r"-p[ \t]+"),
    ("unzip|zip|sqlcmd|ipmitool", r"-P[ \t]*"),
    ("ldapsearch|ldapadd|ldapmodify", r"-w[ \t]*"),
    ("lftp", r"-u[ \t]*"),
)
_NAMES = "|".join(re.escape(names).replace(r"\|", "|") for names, _ in _PROGRAMS)
COMMAND = re.compile(rf"(?<![\w-])({_NAMES})[ \t]([^\n|;]{{1,600}})")
OPTIONS = {
    name: re.compile(rf"(?<!\S){option}(?:\"([^\"\n]{{3,200}})\"|'([^'\n]{{3,200}})'|([^\s\"'<>]{{3,200}}))")
    for names, option in _PROGRAMS
    for name in names.split("|")
}
#: In a path of an address: the token of a conda channel.
CHANNEL = re.compile(r"((?:^|/)t/)((?=[A-Za-z-]{0,60}\d)[A-Za-z0-9-]{8,200})(?=/)")

KEYWORD = re.compile(
    r"(?i)password|passwd|passphrase|passcode|pwd|pass(?![a-z])|secret|token|credential|key|cookie|authorization|signature"
    r"|(?<![A-Za-z0-9])[as]k(?![A-Za-z0-9])|proxy|密码|口令|密钥|令牌|凭证|代理"
)
PROXY = re.compile(r"(?i)proxy|代理")
SIGN = re.compile(r"[\"'\]`*]{0,3}[ \t]{0,4}(?:=>|:=|={1,2}|[:：=]|为|是(?!否)|is(?=[ \t:]))[ \t]{0,4}")
BLANK = re.compile(r"[ \t]{1,4}(?![-=])")
VALUE = re.compile(
    r"(?:[rbuf]{1,2}(?=[\"']))?(?:\"((?:[^\"\\\n]|\\.){1,20000})|'((?:[^'\\\n]|\\.){1,20000})"
    r"|((?:(?![,;&][ \t]{0,2}[\w.-]{1,40}[=:])[^\s\"'<>，；。]){1,20000}))"
)
PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
STRONG = _words("password passwd passphrase passcode pwd pass 密码 口令")
WORDS_OF_TOKENS = _words(
    "auth access api bearer refresh secret session private personal git github gitlab gitee gitcode hf hub huggingface bot slack login x "
    "jwt csrf xsrf security sts wandb modelarts modelscope iam deploy job "
    "ci registry npm pypi user service account id oauth oauth2 webhook "
    "jenkins swanlab obs dingtalk feishu app client admin my web device push ms read write vault k8s kube cloud"
)
WORDS_OF_KEYS = _words(
    "api access secret private encryption signing auth account ssh license master storage service app client kaggle"
)
#: Before `key`: that of a cipher, as MindSpore's load_checkpoint(dec_key=...) takes it.
CIPHERS = _words("enc dec encrypt decrypt decryption aes sm4 rsa cipher crypt crypto hmac")
KEY_SIZES = (16, 24, 32)
NOT_PASSED = _words("db user root mysql redis ssh ftp smtp mail proxy login admin mongo pg postgres sudo")
NO_SECRET = _words(
    "none null nil true false yes no str string bytes int float bool object optional any required incorrect invalid denied missing wrong "
    "expired empty unset set unknown default secret password passwd token changed change ok failed error not n/a na hidden redacted "
    "masked removed unused todo tbd the a an of for in is are was and or must should can will has have had"
)
EXPRESSION = re.compile(
    r"[$%{<*(\[]|\*{3}|x{3,}$|\.{3}|(?:os|self|args?|cfg|config|conf|opts?|options|settings|getpass|env|environ|flags|params|request|kwargs)"
    r"[.\[]|[A-Za-z_][\w.]{0,80}[(\[]|(?:/|\./|\.\./|~/)|(?i:\w{0,40}(?:passw(?:or)?d|pwd|token|secret|key)[=:])"
)
DOTTED = re.compile(r"[A-Za-z_][A-Za-z_0-9]*(?:\.[A-Za-z_0-9]+)+|[a-z]+(?:[_-](?:[a-z]+|\d{1,4}))+")

# --- what a path is ---------------------------------------------------------------------------------------------------

#: First components of paths as machines have them; others are told from names of tensors by what stands around them.
TOPS = (
    r"home|root|Users|data\d*|datas?|dataset\w*|datasets|mnt|media|srv|nfs\w*|nas\w*|share[d\d]*|disk\d*|ssd\d*|nvme\d*|hdd\d*|cache|scratch|"
    r"lustre\w*|gpfs\w*|work|workspace\w*|tmp|temp|var|opt|run|Volumes|private|storage\w*|user|users|project\w*|code|ckpts?|checkpoints?|"
    r"export|backup\w*|cephfs\w*|beegfs|pfs|obs|efs|sfs\w*|raid\w*|home\d+|cluster\w*|group\w*|train\w*|models?"
)
TOP = re.compile(rf"/(?:{TOPS})/")
NAME = r"[^\s/\\\"'`<>|:;,*?()\[\]{}=&，。；：、（）【】“”‘’！？⏎]"
PATH = re.compile(
    rf"(?<=[\"'`“‘])/[^\"'`/\n”’<>|]{{1,255}}(?:/[^\"'`/\n”’<>|]{{0,255}})+(?=[\"'`”’])"
    rf"|(?<![\w.~/$}})*\\])/{NAME}+(?:/{NAME}*)+"
    rf"|(?<=[\u2e80-\u9fff])/(?:{TOPS})/{NAME}+(?:/{NAME}*)*"
)
WINDOWS = re.compile(
    rf"(?a)(?<![\w])[A-Za-z]:(?:\\{{1,2}}|/)(?i:Users|Documents and Settings)(?:\\{{1,2}}|/)[^\\/\n\"'`<>|:*?]{{1,60}}(?=[\\/\"'`]|$)"
    rf"(?:(?:\\{{1,2}}|/){NAME}{{0,255}})*|"
    rf"(?<![\w])[A-Za-z]:(?:\\{{1,2}}|/)(?:{NAME}{{2,255}}(?:\\{{1,2}}|/))+(?:{NAME}{{0,255}})|(?<![\w\\])\\\\[\w.-]+(?:\\[^\s\\\"'<>|:;,]+)+"
)
WINDOWS_USER = re.compile(r"(?i)([A-Z]:(?:\\{1,2}|/)(?:Users|Documents and Settings)(?:\\{1,2}|/))([^\\/]+)")
WINDOWS_KEPT = re.compile(r"(?i)[A-Z]:(?:\\{1,2}|/)(?:Windows|Program Files(?: \(x86\))?|ProgramData)(?:[\\/]|$)")
KEPT = re.compile(
    r"/(?:root|usr|bin|sbin|lib\w*|etc|proc|sys|dev|boot|run/(?:user|lock)|var/(?:log|lib|run)|opt/(?:conda|mini\w*|ana\w*|nvidia|intel|rocm|huawei|python[\w.]*|buildtools|openmpi))"
    r"(?:/|$)"
)
HOME = re.compile(r"(/(?:home|Users|export/home|data/home|var/home)/)([^/]+)(?=/|$)")
#: A home of everybody, in which each has a folder.
SHARED_HOME = re.compile(rf"(/(?:root|home/ma-user/work)/)(?!(?:{TOPS})/)([A-Za-z\u4e00-\u9fff][^/\s.]*)(?=/)")
#: Folders of software and of projects, which name nobody.
FOLDERS = _words(
    "miniconda miniconda3 anaconda anaconda3 miniforge3 conda envs env venv ascend mindspore mindformers mindcv mindnlp src scripts output "
    "outputs logs log results configs config notebook notebooks repo repos git download downloads desktop documents packages bin lib go"
)
LIBRARY = re.compile(r"/(?:(?:site|dist)-packages|lib/python3(?:\.\d+)?)(?=/)")
ENDING = re.compile(r"\.[A-Za-z][\w]{0,11}$|\.(?:7z|3gp)$")
PATH_BEFORE = re.compile(
    r"(?i)(?:path|dir(?:ectory)?|folder|file(?:name)?|root|cwd|pwd|cd|ls|prefix|workspace|output|save[d_]?\w*|load\w*|open\w*|from|at|in|to|"
    r"路径|目录|文件夹?|位于|保存[至到]|写入|读取)[\"']?\s*[:=：]?\s*[\"'(]?\Z"
)
EVENTS = re.compile(
    r"(events\.out\.(?:tfevents|events\.summary)\.\d{6,12}\.)([\w.-]+?)((?:\.\d+)*(?:_MS|_lineage|\.v2|\.profile-empty)*)(?![\w-])"
)
HOST_KEY = re.compile(
    r"(?ai)(?<![A-Za-z])(?:(?:[a-z]+_)?host(?:_?name)?|node_?name|server_?name|computer_?name|machine_?name|(?:ms_sched|master)_(?:host|addr)|主机名?|服务器名?)"
    r"[\"']?[ \t]{0,4}[:=：][ \t]{0,4}[\"']?((?=[A-Za-z_]{0,60}[-.\d])[A-Za-z][A-Za-z0-9.-]{2,62})(?![\w/(])"
)
USER_KEY = re.compile(
    r"(?ai)(?<![A-Za-z])(?:user_?name|login_?name|log_?name|sudo_user|user|login|用户名?|账号|owner)[\"']?[ \t]{0,4}[=：:][ \t]{0,4}[\"']?"
    r"([A-Za-z][A-Za-z0-9._-]{1,31})(?![\w/(.])"
)

# --- what tells of a person -------------------------------------------------------------------------------------------

#: What all of these hold: begins are looked for by their digits, which is ten times as fast as by what may stand before them.
NUMBERED = re.compile(r"\d{7}|\d[- ]\d{4}[- ]\d{4}")
#: A mobile number of China; eleven digits alone may as well count parameters or bytes.
PHONE = re.compile(r"(?a)(?<![\w.+-])(\+?86[- ]?)?1[3-9]\d([- ]?)\d{4}\2\d{4}(?![\w%]|[.-]\d)")
COUNTED_BEFORE = re.compile(
    r"(?i)(?:param\w*|bytes?|size|steps?|samples?|tokens?|flops|macs|mem\w*|time\w*|seed|count|total|num\w*|elements?|offset|addr\w*|pid|hash|rows?"
    r"|version|length|capacity|参数量?|字节|大小|步|样本|内存|种子|总数|时间戳?|数量"
    r"|[A-Za-z_]\w*[\"']?[ \t]*=)[^\n\w]{0,8}(?:of |is |are |about |[为是共约有])?[ \t]*\Z"
    r"|[\d,\[(+*/^][ \t]*\Z|\d[ \t]+\Z|[-+]\Z"
)
COUNTED_BEHIND = re.compile(
    r"(?i)[ \t]*(?:,[ \t]*\d|[*/^+\])]|\d|(?:param\w*|bytes?|steps?|samples?|tokens?|flops|elements?|rows?"
    r"|[kmgt]i?b|b|ns|us|ms|s|images|records)\b|[个条字步参样行张次])"
)
SPOKEN_BEFORE = re.compile(r"(?i)(?:手机|电话|联系|致电|微信|phone|mobile|\btel|call)[^\n\d]{0,16}\Z")
#: 18 digits: region, day of birth, number, and a digit that checks them.
IDENTITY = re.compile(
    r"(?a)(?<![\w.])[1-9]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx](?![\w.%]|-\d)"
)
#: A letter and eight digits, or wx and seven. Synsets of WordNet have the letters n, v, a, r and s.
STAFF = re.compile(r"(?a)(?<![A-Za-z0-9.%-])(?:[b-mo-qt-uw-z]00[1-9]\d{5}|[a-z]{1,2}wx\d{6,7})(?![A-Za-z0-9%]|[.-]\w)")
STAFF_TOLD = re.compile(
    r"(?ai)(?:工号|员工号?|职工号|staff(?:_?(?:id|no|number))?|employee(?:_?(?:id|no|number))?|user|login|account|by)"
    r"[\"']?[ \t]{0,4}[:=：]?[ \t]{0,4}[\"']?"
    r"([a-z]{1,3}\d{8})(?![A-Za-z0-9]|\.\w)"
)

#: A text without any of these has nothing to hide (`=` and words of KEYWORD stand beside what is secret).
ANY = re.compile(
    r"[/\\@:：=]|\d\.\d|\d{7}|\d[ -]\d{4}|[A-Za-z\d][._-]|[A-Za-z\d_-]{16}|(?i:pass|token|secret|key|bearer|login|密码|口令|密钥|令牌)"
)
