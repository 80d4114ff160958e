"""A browser without a window, with one page of the site: ``page("adaptive")`` opens it from its file."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
MOST_TABS = 80

# Tensors come as their shape and their elements; what WebDriver cannot carry goes by its name.
_NUMBERS = """
  const plain = (value) =>
    value === null || value === undefined ? null
    : ArrayBuffer.isView(value) ? [...value].map((x) => typeof x === "bigint" ? Number(x) : String(x))
    : Array.isArray(value) ? value.map(plain)
    : typeof value === "object" ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, plain(v)]))
    : value;
  return plain(document.querySelector(".instrument").numbers);
"""


@pytest.fixture(scope="session")
def driver() -> Iterator[Any]:
    webdriver = pytest.importorskip("selenium.webdriver", reason='needs selenium: pip install ".[browser]"')
    programs = {name: shutil.which(name) for name in ("chromium", "chromedriver")}
    if missing := [name for name, path in programs.items() if not path]:
        pytest.skip(f"needs {' and '.join(missing)}: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = programs["chromium"]
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--force-device-scale-factor=1"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(programs["chromedriver"]))
    yield browser
    browser.quit()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """From an instrument's name to its page: of the site that has just been built, or one that has nothing else."""
    if ready := os.environ.get("PYTORCH_LEGACY_SITE"):
        return lambda name: ROOT / ready / "instruments" / f"{name}.html"
    pytest.importorskip("sphinx", reason='needs sphinx: pip install ".[docs]"')
    if not shutil.which("emcc"):
        pytest.skip("needs emcc: apt-get install emscripten")
    from docs.site import instruments, wasm

    out = tmp_path_factory.mktemp("site")
    shutil.copytree(ROOT / "docs" / "site" / "static", out / "_static")
    script = wasm.build(2)
    assert script
    instruments.place(script, out)

    def page(name: str) -> Path:
        style = '<link rel="stylesheet" href="_static/instruments/instruments.css">'
        (out / f"{name}.html").write_text(f"<!doctype html>{style}<body>{instruments.html(name, '')}", encoding="utf-8")
        return out / f"{name}.html"

    return page


class Page:
    """An instrument in the browser."""

    def __init__(self, driver: Any, path: Path) -> None:
        from selenium.webdriver.support.ui import WebDriverWait

        self.driver = driver
        driver.get(path.as_uri())
        ready = "return document.querySelector('.instrument').numbers != null"
        WebDriverWait(driver, 20).until(lambda _: driver.execute_script(ready))

    def numbers(self) -> Any:
        return _arrays(self.driver.execute_script(_NUMBERS))

    def said(self) -> str:
        return str(self.find(".said").text)

    def find(self, selector: str) -> Any:
        return self.driver.find_element("css selector", selector)

    def all(self, selector: str) -> list[Any]:
        return list(self.driver.find_elements("css selector", selector))

    def script(self, text: str, *arguments: Any) -> Any:
        return self.driver.execute_script(text, *arguments)

    def press(self, *keys: str) -> None:
        """Types into what has the focus."""
        from selenium.webdriver import ActionChains

        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def tab_to(self, label: str) -> Any:
        """Presses Tab until the control of this name has the focus, as somebody without a mouse does."""
        from selenium.webdriver.common.keys import Keys

        seen = []
        for _ in range(MOST_TABS):
            self.press(Keys.TAB)
            active = self.driver.switch_to.active_element
            grid = self.script("return arguments[0].closest('[role=grid]')?.getAttribute('aria-label')", active)
            seen.append(grid or active.accessible_name)
            if seen[-1] == label:
                return active
        raise AssertionError(f"Tab does not reach {label!r}, only {sorted(set(seen))}")

    def set(self, label: str, value: object) -> None:
        """Types a number into the field of this name, or the beginning of an option's text into its choice."""
        from selenium.webdriver.common.keys import Keys

        field = self.tab_to(label)
        if field.tag_name == "select":
            self.press(str(value))
        else:
            field.send_keys(Keys.CONTROL, "a")
            self.press(str(value), Keys.ENTER)


def _arrays(value: Any) -> Any:
    if isinstance(value, dict) and set(value) == {"shape", "data"}:
        return np.array([float(x) for x in value["data"]]).reshape([int(size) for size in value["shape"]])
    if isinstance(value, dict):
        return {key: _arrays(one) for key, one in value.items()}
    return value


@pytest.fixture
def page(driver: Any, site: Callable[[str], Path]) -> Iterator[Callable[[str], Page]]:
    yield lambda name: Page(driver, site(name))
    assert not [line for line in driver.get_log("browser") if line["level"] == "SEVERE"]
