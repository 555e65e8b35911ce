"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const count = (number) => number.toLocaleString("en");
  const plural = (number, unit) => `${count(number)} ${unit}${number === 1 ? "" : "s"}`;

  // The reason for each token.
  const why = byId("why");
  const tokens = [...document.querySelectorAll("#result .t")];
  let current = -1;
  const show = (at, focus) => {
    tokens[current]?.classList.remove("on");
    if (current >= 0) tokens[current].tabIndex = -1;
    current = at;
    const token = tokens[at];
    token.classList.add("on");
    token.tabIndex = 0;
    if (focus) token.focus();
    // Text between backticks is quoted from the program or the oracle.
    why.replaceChildren(...token.dataset.why.split("`").map((part, number) => {
      if (number % 2 === 0) return document.createTextNode(part);
      const code = document.createElement("code");
      code.textContent = part;
      return code;
    }));
    why.hidden = false;
  };
  tokens.forEach((token, at) => {
    token.dataset.why = token.title;
    token.removeAttribute("title");
    token.setAttribute("aria-describedby", "why");
    token.tabIndex = at === 0 ? 0 : -1;
    token.addEventListener("mouseenter", () => show(at, false));
    token.addEventListener("focus", () => { if (current !== at) show(at, false); });
    token.addEventListener("click", () => show(at, true));
  });
  const moves = { ArrowRight: 1, ArrowLeft: -1 };
  byId("result").addEventListener("keydown", (event) => {
    if (!event.target.classList.contains("t")) return;
    const to = event.key === "Home" ? 0 : event.key === "End" ? tokens.length - 1 : current + moves[event.key];
    if (!tokens[to]) return;
    event.preventDefault();
    show(to, true);
  });

  // The steps.
  const steps = JSON.parse(byId("data").textContent);
  const slider = byId("step");
  const element = (name, text, style) => {
    const made = document.createElement(name);
    made.textContent = text;
    if (style) made.className = style;
    return made;
  };
  const names = { "-": "del", "+": "ins" };
  // Changes of whitespace are shown as symbols.
  const visible = (text) => /\S/.test(text) ? text : text.replace(/ /g, "·").replace(/\t/g, "⇥").replace(/\n/g, "↵\n");
  const step = (number) => {
    const one = steps[number - 1];
    slider.value = number;
    slider.setAttribute("aria-valuetext", `step ${number} of ${steps.length}, ${one.pass}`);
    byId("told").textContent =
      `Step ${count(number)} of ${count(steps.length)}: ${one.pass}, ${plural(one.tokens, "token")}, ` +
      `${plural(one.bytes, "byte")}, after ${plural(one.probes, "candidate")} and ${one.seconds.toFixed(1)} s`;
    const parts = [];
    for (const hunk of one.hunks ?? []) {
      parts.push(element("span", `line ${count(hunk.line)}`, "at"));
      for (const [sign, text] of hunk.pieces) {
        parts.push(names[sign] ? element(names[sign], visible(text)) : document.createTextNode(text));
      }
    }
    if (!one.hunks) parts.push(element("span", "left out to limit the size of this page", "at"));
    if (one.more) parts.push(element("span", `and ${plural(one.more, "more edit")}`, "at"));
    byId("diff").replaceChildren(...parts);
    byId("previous").disabled = number <= 1;
    byId("next").disabled = number >= steps.length;
  };
  const go = (number) => {
    step(Math.min(Math.max(number, 1), steps.length));
    history.replaceState(null, "", `#step=${slider.value}`);
  };
  const follow = () => {
    const number = Number(/^#step=(\d+)$/.exec(location.hash)?.[1] ?? 1);
    if (number >= 1 && number <= steps.length) step(number);
    const token = Number(/^#token=(\d+)$/.exec(location.hash)?.[1]);
    if (tokens[token - 1]) show(token - 1, false);
  };
  if (steps.length > 0) {
    byId("scrubber").hidden = false;
    slider.addEventListener("input", () => go(Number(slider.value)));
    byId("previous").addEventListener("click", () => go(Number(slider.value) - 1));
    byId("next").addEventListener("click", () => go(Number(slider.value) + 1));
    step(1);
  } else {
    byId("list").hidden = true;
  }
  follow();
  addEventListener("hashchange", follow);
})();
