"""Aligned sequences: names, letters, and what the letters stand for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from coterie._printing import count_of, shortened
from coterie._support.typing import AnyArray, VectorLike
from coterie._support.validation import Choice, check_parameter
from coterie.errors import InvalidData, InvalidParameter

Letters: TypeAlias = npt.NDArray[np.uint8]  # (n_sequences, n_sites), upper case
Kind: TypeAlias = Literal["dna", "protein"]
KINDS = Choice("auto", "dna", "protein")

GAPS = "-.?"
BASES = {"A": 0, "G": 1, "C": 2, "T": 3, "U": 3}  # the higher bit tells purines from pyrimidines
AMBIGUOUS_BASES = "RYSWKMBDHVNX"
AMINO_ACIDS = {letter: code for code, letter in enumerate("ACDEFGHIKLMNPQRSTVWYUO")}
AMBIGUOUS_AMINO_ACIDS = "BZJX*"
UNKNOWN, REFUSED = 254, 255
LEAST_BASES = 0.9  # share of letters that are A, C, G, T, U or N in what is taken for DNA
LINE = 70  # letters per line of FASTA


def _table(known: Mapping[str, int], ambiguous: str) -> Letters:
    table = np.full(256, REFUSED, dtype=np.uint8)
    for letter in ambiguous + GAPS:
        table[ord(letter)] = UNKNOWN
    for letter, code in known.items():
        table[ord(letter)] = code
    return table


CODES = {"dna": _table(BASES, AMBIGUOUS_BASES), "protein": _table(AMINO_ACIDS, AMBIGUOUS_AMINO_ACIDS)}
NAMES_OF_KINDS = {"dna": "nucleotides", "protein": "amino acids"}


@dataclass(frozen=True, eq=False)
class Alignment:
    """Sequences of equal length, one name each.

    Lower case is taken for upper case. ``-``, ``.`` and ``?`` are gaps; letters such as N (any base) or R (A
    or G) are ambiguous: like gaps they are not compared.

    Parameters
    ----------
    names : tuple of str
        Of the sequences, each once.
    letters : ndarray of shape (n_sequences, n_sites)
        Upper case letters, as bytes.
    kind : {"dna", "protein"}
        What the letters are; RNA counts as DNA.

    Examples
    --------
    >>> Alignment.from_sequences({"cat": "ACGT", "dog": "acga"})
    Alignment of 2 sequences of 4 nucleotides
    """

    names: tuple[str, ...]
    letters: Letters
    kind: Kind

    @classmethod
    def from_sequences(
        cls, sequences: Mapping[str, str] | Iterable[tuple[str, str]], *, kind: str = "auto"
    ) -> Alignment:
        """Make an alignment of sequences by name.

        Parameters
        ----------
        sequences : mapping of str to str, or pairs of name and sequence
            The sequences.
        kind : {"auto", "dna", "protein"}, default="auto"
            What the letters are; auto: DNA if nine tenths of them are A, C, G, T, U or N.

        Examples
        --------
        >>> Alignment.from_sequences([("a", "MKLV"), ("b", "MKIV")]).kind
        'protein'
        """
        pairs = list(sequences.items() if isinstance(sequences, Mapping) else sequences)
        for pair in pairs:
            if len(pair) != 2 or not all(isinstance(part, str) for part in pair):
                raise InvalidParameter("sequences of from_sequences must be pairs of a name and a text.")
        raw = [text.upper().encode(errors="replace") for _, text in pairs]
        return build_alignment([name for name, _ in pairs], raw, kind, who="from_sequences")

    @property
    def n_sites(self) -> int:
        """Letters per sequence."""
        return int(self.letters.shape[1])

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        n = count_of(len(self), "sequence")
        return f"Alignment of {n} of {self.n_sites:,} {NAMES_OF_KINDS[self.kind]}"

    def codes(self) -> Letters:
        """Return the letters as small numbers; 254 where a site is a gap or ambiguous.

        Examples
        --------
        >>> Alignment.from_sequences({"a": "ACGTN"}).codes()
        array([[  0,   2,   1,   3, 254]], dtype=uint8)
        """
        return CODES[self.kind][self.letters]

    def take_sites(self, sites: VectorLike) -> Alignment:
        r"""Return the alignment of some columns, by number or as a mask.

        Examples
        --------
        >>> Alignment.from_sequences({"a": "ACGT"}).take_sites([0, 0, 3]).to_fasta()
        '>a\nAAT\n'
        """
        chosen: AnyArray = np.asarray(sites)
        if chosen.dtype.kind not in "biu" or chosen.ndim != 1:
            raise InvalidParameter("sites of take_sites must be numbers of columns or a mask.")
        try:
            return Alignment(self.names, np.ascontiguousarray(self.letters[:, chosen]), self.kind)
        except IndexError:
            raise InvalidParameter(
                f"sites of take_sites must be below n_sites={self.n_sites}, or a mask of as many."
            ) from None

    def sequence(self, name: str) -> str:
        """Return the letters of one sequence.

        Examples
        --------
        >>> Alignment.from_sequences({"a": "AC-T"}).sequence("a")
        'AC-T'
        """
        if name not in self.names:
            raise InvalidParameter(f"name must be that of a sequence, got {shortened(name)!r}.")
        return str(self.letters[self.names.index(name)].tobytes(), "ascii")

    def to_fasta(self) -> str:
        """Return the alignment as FASTA text.

        Examples
        --------
        >>> print(Alignment.from_sequences({"a": "AC-T", "b": "ACGT"}).to_fasta(), end="")
        >a
        AC-T
        >b
        ACGT
        """
        parts = []
        for name, row in zip(self.names, self.letters, strict=True):
            text = row.tobytes().decode("ascii")
            lines = [text[at : at + LINE] for at in range(0, len(text), LINE)]
            parts += [f">{name}", *lines]
        return "\n".join(parts) + "\n"


def build_alignment(names: list[str], rows: list[bytes], kind: Any, *, who: str) -> Alignment:
    """Return checked sequences, or say which one cannot be, and why."""
    check_parameter(kind, KINDS, name="kind", who=who)
    if not rows:
        raise InvalidData(f"{who}: no sequences.")
    _check_names(names, who)
    for name, row in zip(names, rows, strict=True):
        _check_ascii(name, row, who)
    lengths = np.array([len(row) for row in rows])
    for name, length in zip(names, lengths.tolist(), strict=True):
        if length == 0:
            raise InvalidData(f'{who}: the sequence "{shortened(name)}" has no letters.')
        if length != lengths[0]:
            raise InvalidData(
                f'{who}: sequences must be aligned, all equally long: "{shortened(names[0])}" has '
                f'{lengths[0]:,} letters, "{shortened(name)}" has {length:,}. Align them first, by MAFFT '
                f"or MUSCLE, say."
            )
    known = _kind_of(rows) if kind == "auto" else kind
    for name, row in zip(names, rows, strict=True):
        _check_letters(name, row, known, who)
    letters = np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(len(rows), -1)
    return Alignment(tuple(names), letters, known)


def _check_names(names: list[str], who: str) -> None:
    seen: set[str] = set()
    for number, name in enumerate(names, start=1):
        if not name.strip():
            raise InvalidData(f"{who}: sequence {number:,} has no name.")
        if name in seen:
            raise InvalidData(f'{who}: two sequences are called "{shortened(name)}". Names must differ.')
        seen.add(name)


def _check_ascii(name: str, row: bytes, who: str) -> None:
    if not row.isascii():
        at, letter = next(
            (at, sign) for at, sign in enumerate(row.decode(errors="replace")) if ord(sign) > 127
        )
        raise InvalidData(
            f'{who}: the sequence "{shortened(name)}" has {letter!r} at site {at + 1:,}, which is no '
            f"letter of sequences."
        )


def _kind_of(rows: list[bytes]) -> Kind:
    gaps = GAPS.encode()
    n_letters = sum(len(row.translate(None, gaps)) for row in rows)
    n_others = sum(len(row.translate(None, gaps + b"ACGTUN")) for row in rows)
    return "dna" if n_letters - n_others >= LEAST_BASES * n_letters else "protein"


def _check_letters(name: str, row: bytes, kind: Kind, who: str) -> None:
    taken = bytes(np.flatnonzero(CODES[kind] != REFUSED).tolist())
    refused = row.translate(None, taken)
    if not refused:
        return
    letter = chr(refused[0])
    other = "protein" if kind == "dna" else "dna"
    is_other = CODES[other][ord(letter)] != REFUSED
    problem = (
        f'{who}: the sequence "{shortened(name)}" has {letter!r} at site {row.index(refused[:1]) + 1:,}; '
        f"{NAMES_OF_KINDS[kind]} are written {taken.decode()}."
    )
    if not is_other:
        raise InvalidData(problem)
    letters = f"If the letters are {NAMES_OF_KINDS[other]}"
    raise InvalidData(f'{problem} {letters}, say kind="{other}".').in_shell(
        f"{problem} {letters}, say --kind {other}."
    )
