"""Formulas become MathML while the site is built."""

import pytest

pytest.importorskip("math_core", reason="the site's tools are not installed: pip install -e .[site]")

import markdown  # after the skip

from reproduce._site import mathml

EXTENSIONS = ["md_in_html", "tables", "pymdownx.arithmatex", "reproduce._site.mathml"]
SETTINGS = {"pymdownx.arithmatex": {"generic": True}}


def html(text: str) -> str:
    return markdown.markdown(text, extensions=EXTENSIONS, extension_configs=SETTINGS)


def test_inline_and_display_formulas_become_mathml() -> None:
    """A formula in a sentence and one on its own line both become MathML, and no TeX is left."""
    text = html(r"Take $a < b$ and" + "\n\n$$\n" + r"\sum_{t} y_t \sim \mathcal{N}(0, 1)" + "\n$$\n")
    assert text.count("<math") == 2 and 'display="block"' in text and "&lt;" in text
    assert "$" not in text and "\\" not in text


def test_formulas_in_tables_and_captions_are_set() -> None:
    """A formula is set wherever prose may stand: in a table and inside HTML that Markdown reads."""
    assert "<math" in html("| a |\n|---|\n| $x^2$ |\n")
    assert "<math" in html(
        '<figure markdown="block">\n<figcaption markdown="span">A $x^2$.</figcaption>\n</figure>\n'
    )


def test_a_formula_with_an_error_stops_the_build() -> None:
    """An unknown command is an error that names the formula."""
    with pytest.raises(mathml.FormulaError, match="foobar"):
        html(r"Take $\foobar{x}$.")


def test_dollars_in_code_and_prices_are_left_alone() -> None:
    """In notebook pages formulas are set outside code only, and a price is no formula."""
    text = mathml.in_prose(r"<p>It costs $5 or $6. Take $x^2$ and $$y$$</p><pre>$x^2$</pre><code>$a$</code>")
    assert (
        text.count("<math") == 2
        and "$5 or $6" in text
        and "<pre>$x^2$</pre>" in text
        and "<code>$a$</code>" in text
    )
