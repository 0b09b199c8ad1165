// Keeps the page live: it asks for itself again every few seconds, and replaces <main> where that is another one.
(() => {
  /** Milliseconds from an answer to the next question. */
  const PAUSE = Number(document.body.dataset.pause);
  /** An answer that takes longer than this is missed. */
  const LATE = 5_000;
  /** After this the question is put again. */
  const PATIENCE = 20_000;
  const relative = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: "auto" });
  const stale = document.getElementById("stale");
  const main = () => document.querySelector("main");
  /** <main> as vigie sent it. */
  let shown = main().innerHTML;
  let etag;
  let request;
  let next;
  let seen = Date.now();
  /** By how much vigie's clock is ahead of this browser's. */
  let ahead = 0;

  /** Asks, and goes on asking while somebody may look. The question before is given up: a device that slept hears no answer to it. */
  async function ask() {
    clearTimeout(next);
    request?.abort();
    if (document.visibilityState !== "visible") return;
    request = new AbortController();
    const { signal } = request;
    next = setTimeout(ask, PATIENCE);
    const late = setTimeout(lost, LATE);
    try {
      await renew(signal);
      seen = Date.now();
      stale.hidden = true;
    } catch {
      if (!signal.aborted) lost();
    }
    clearTimeout(late);
    show();
    if (signal.aborted) return;
    clearTimeout(next);
    next = setTimeout(ask, PAUSE);
  }

  async function renew(signal) {
    const response = await fetch(location.href, {
      cache: etag ? "no-store" : "no-cache",
      headers: { accept: "text/html", ...(etag && { "if-none-match": etag }) },
      signal,
    });
    if (response.status !== 304) {
      if (!response.ok) throw new Error(`status ${response.status}`);
      take(new DOMParser().parseFromString(await response.text(), "text/html"));
      etag = response.headers.get("etag");
    }
    ahead = Date.parse(response.headers.get("date")) - Date.now() || 0;
  }

  /** vigie's own: those of another version have other names. Proxies and browsers may add files, each time others. */
  const files = (page) =>
    [...page.querySelectorAll('script[src^="page."], link[href^="page."]')]
      .map((one) => one.getAttribute("src") ?? one.getAttribute("href"))
      .join();

  function take(page) {
    const newer = page.querySelector("main");
    const old = main();
    if (!newer) throw new Error("a proxy has answered in place of vigie");
    if (files(page) !== files(document)) {
      location.reload();
      return;
    }
    if (newer.innerHTML === shown) return;
    shown = newer.innerHTML;
    for (const { id } of old.querySelectorAll("details[open]")) {
      const same = newer.querySelector(`#${CSS.escape(id)}`);
      if (same) same.open = true;
    }
    const focused = old.contains(document.activeElement) ? selectorOf(document.activeElement) : undefined;
    const color = (one) => one.querySelector(".band .now")?.className;
    newer.classList.toggle("changed", color(newer) !== color(old));
    const { scrollX, scrollY } = window;
    old.replaceWith(document.adoptNode(newer));
    document.title = page.title;
    document.querySelector("link[rel=icon]").href = page.querySelector("link[rel=icon]").getAttribute("href");
    if (focused) main().querySelector(focused)?.focus({ preventScroll: true });
    window.scrollTo(scrollX, scrollY);
  }

  /** Of what can have the focus: what unfolds, or a link. */
  function selectorOf(element) {
    const details = element.closest("details");
    return details ? `#${CSS.escape(details.id)} summary` : `a[href="${element.getAttribute("href")}"]`;
  }

  /** A page that vigie does not renew must not look as if it were true now. */
  function lost() {
    if (!stale.hidden) return;
    const time = stale.querySelector("time");
    time.dateTime = new Date(seen).toISOString();
    time.textContent = new Date(seen).toLocaleTimeString(document.documentElement.lang, {
      hour: "2-digit",
      minute: "2-digit",
    });
    stale.hidden = false;
  }

  /** Instants as "3 minutes ago"; null where that says less than the instant. */
  function ago(minutes) {
    if (minutes === 0) return stale.dataset.now;
    if (minutes < 0 || minutes >= 24 * 60) return null;
    return minutes < 60
      ? relative.format(-minutes, "minute")
      : relative.format(-Math.floor(minutes / 60), "hour");
  }

  /** How long ago something was, and the line that says where we are, by vigie's clock. */
  function show() {
    const now = Date.now() + ahead;
    for (const time of document.querySelectorAll("time[data-ago]")) {
      time.title ||= time.textContent;
      time.textContent = ago(Math.round((now - Date.parse(time.dateTime)) / 60_000)) ?? time.title;
    }
    for (const clock of document.querySelectorAll(".clock")) {
      // With its own day: before 06:00 the tariff day in force is that of the day before.
      clock.textContent = new Date(now).toLocaleString(document.documentElement.lang, {
        weekday: "long",
        hour: "2-digit",
        minute: "2-digit",
        hourCycle: "h23",
        timeZone: clock.dataset.zone,
      });
    }
    for (const chart of document.querySelectorAll("[data-from]")) {
      const from = Date.parse(chart.dataset.from);
      const share = (now - from) / (Date.parse(chart.dataset.to) - from);
      for (const line of chart.querySelectorAll(".here")) {
        line.setAttribute("x1", `${share * 100}%`);
        line.setAttribute("x2", `${share * 100}%`);
        line.classList.toggle("known", share >= 0 && share <= 1);
      }
    }
  }

  document.addEventListener("visibilitychange", ask);
  window.addEventListener("online", ask);
  window.addEventListener("pageshow", ({ persisted }) => persisted && void ask());
  void ask();
})();
