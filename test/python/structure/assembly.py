"""What the loops of generated assembly are made of.

Loops are found by the comments that LLVM's printer puts behind the labels of blocks. Only the innermost count, as time goes
there; loops that only move elements to and from the stack, lane by lane, are none of them."""

import collections
import re

REGISTER = re.compile(r"%([xyz])mm\d+")
BYTES = {"x": 16, "y": 32, "z": 64}
BLOCK = re.compile(r"^(?:\.L(BB\d+_\d+):|# %bb\.\d+:)")
MEMBER = re.compile(r"in Loop: Header=(BB\d+_\d+)")
PARENT = re.compile(r"Parent Loop (BB\d+_\d+)")
# Arithmetic, of which moves, shuffles, broadcasts and conversions between masks and vectors are none.
ARITHMETIC = re.compile(
    r"^v?(add|sub|mul|div|sqrt|max|min|fn?m(add|sub)|and|or|xor|padd|psub|pmul|pmadd|pmax|pmin|pand|por|pxor|psll|psrl|psra|"
    r"pro[lr]|cmp|pcmp|ptest|blend|pblend|cvt|round|rndscale|dpbf16|pdp|ptern|pabs|psign|scalef|ucomi|comi|fpclass)"
)
SCALAR = re.compile(r"^(?!v?p)\w*(ss|sd)$|^v?cvtt?s[is]")
STORE = re.compile(r"\)(\s+\{.*\})?(\s+#.*)?$")
APART = re.compile(r"^v?(pinsr|pextr|insertps|extractps|p?gather|p?scatter)")
CALL = re.compile(r"^\s+(?:callq?|jmpq?)\s+\*?([A-Za-z_]\w*)|([A-Za-z_]\w*)@GOTPCREL|movabsq\s+\$([A-Za-z_]\w*)", re.MULTILINE)

# Instructions of a kind: arithmetic on whole registers, on parts of them, on one element; elements that are put into vectors or
# taken out of them one by one; and stores of whole registers.
Counts = collections.namedtuple("Counts", ["full", "part", "scalar", "apart", "stores"])


def loops(text):
    """The instructions of each loop without those of the loops inside, and the loop around it, by function and header."""
    instructions, around = collections.defaultdict(list), {}
    function, loop, label = 0, None, None
    for line in text.splitlines():
        if line.startswith("// nest"):
            function, loop = function + 1, None
        elif block := BLOCK.match(line):
            label = block.group(1)
            member = MEMBER.search(line)
            loop = (function, member.group(1)) if member else None
        # The comments of a block, of which the last parent is the nearest, go on in lines of their own.
        if parent := PARENT.search(line):
            around[(function, label)] = (function, parent.group(1))
        if "Loop Header:" in line:
            loop = (function, label)
        if loop and re.match(r"\t[a-z]", line):
            instructions[loop].append(line)
    return instructions, around


def count(instructions, register_bytes):
    """How many of the instructions are of each kind."""
    counts = collections.Counter()
    for line in instructions:
        mnemonic, _, operands = line.strip().partition("\t")
        registers = REGISTER.findall(operands)
        if not registers:
            continue
        is_full = max(BYTES[register] for register in registers) == register_bytes
        if is_full and re.match(r"^v?mov", mnemonic) and STORE.search(operands):
            counts["stores"] += 1
        operands = re.sub(r"\(.*?\)", "", operands)  # registers that hold addresses
        if APART.match(mnemonic) or (re.match(r"^v?mov[dq]$", mnemonic) and re.search(r"%[er]", operands)):
            counts["apart"] += 1
        elif ARITHMETIC.match(mnemonic):
            counts["scalar" if SCALAR.match(mnemonic) else "full" if is_full else "part"] += 1
    return Counts(*(counts[kind] for kind in Counts._fields))


def calls(text):
    """The functions that the code calls, and symbols it takes the address of, by name."""
    return sorted({next(filter(None, match.groups())) for match in CALL.finditer(text)})


def count_innermost(text, register_bytes):
    """The instructions of all loops inside which no other loop does arithmetic."""
    instructions, around = loops(text)
    counts = {loop: count(lines, register_bytes) for loop, lines in instructions.items()}
    outer = set()
    for loop in (loop for loop, kinds in counts.items() if sum(kinds) > kinds.stores):
        while loop := around.get(loop):
            outer.add(loop)
    return Counts(*(sum(kinds) for kinds in zip(*(kinds for loop, kinds in counts.items() if loop not in outer), strict=True))) if counts else Counts(0, 0, 0, 0, 0)
