// Keeps the page live: it asks for itself again when vigie has something new, and replaces <main>.
(() => {
  const RETRY = 5_000;
  const LOOK = 30_000;
  /** vigie says something every 20 s. */
  const SILENCE = 60_000;
  const PATIENCE = 20_000;
  const relative = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: "auto" });
  const stale = document.getElementById("stale");
  let source;
  let retry;
  let seen = Date.now();
  /** By how much vigie's clock is ahead of this browser's. */
  let ahead = 0;
  /** Only one request at a time; what is asked for meanwhile is asked for once more after it. */
  let asking = false;
  let again = false;

  const main = () => document.querySelector("main");

  async function update() {
    if (asking) {
      again = true;
      return;
    }
    asking = true;
    try {
      const response = await fetch(location.href, {
        cache: "no-cache",
        headers: { accept: "text/html" },
        signal: AbortSignal.timeout(PATIENCE),
      });
      if (!response.ok) throw new Error(`status ${response.status}`);
      ahead = Date.parse(response.headers.get("date")) - Date.now() || 0;
      take(new DOMParser().parseFromString(await response.text(), "text/html"));
      show();
      heard();
    } catch {
      lost();
    } finally {
      asking = false;
    }
    if (again) {
      again = false;
      await update();
    }
  }

  /** vigie's own: those of another version have other names. Proxies and browsers may add files, each time others. */
  const files = (page) =>
    [...page.querySelectorAll('script[src^="page."], link[href^="page."]')]
      .map((one) => one.getAttribute("src") ?? one.getAttribute("href"))
      .join();

  function take(page) {
    const next = page.querySelector("main");
    const old = main();
    if (next && files(page) !== files(document)) {
      location.reload();
      return;
    }
    if (!next || next.dataset.view === old.dataset.view) return;
    for (const { id } of old.querySelectorAll("details[open]")) {
      const same = next.querySelector(`#${CSS.escape(id)}`);
      if (same) same.open = true;
    }
    const focused = old.contains(document.activeElement)
      ? document.activeElement.closest("details")?.id
      : undefined;
    const color = (one) => one.querySelector(".band .now")?.className;
    next.classList.toggle("changed", color(next) !== color(old));
    const { scrollX, scrollY } = window;
    old.replaceWith(document.adoptNode(next));
    document.title = page.title;
    document.querySelector("link[rel=icon]").href = page.querySelector("link[rel=icon]").getAttribute("href");
    if (focused) document.getElementById(focused)?.querySelector("summary")?.focus({ preventScroll: true });
    window.scrollTo(scrollX, scrollY);
  }

  function heard() {
    seen = Date.now();
    stale.hidden = true;
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

  function connect() {
    clearTimeout(retry);
    source?.close();
    source = new EventSource("events");
    source.onopen = update;
    source.onmessage = ({ data }) => {
      // Until what is new has arrived, what is shown is what was heard last.
      if (data === main().dataset.view) heard();
      else void update();
    };
    source.onerror = () => {
      lost();
      // After a refusal the browser does not try again by itself.
      if (source.readyState === EventSource.CLOSED) retry = setTimeout(connect, RETRY);
    };
  }

  /** A device that slept has a connection that looks alive and is not. */
  function wake() {
    if (document.visibilityState === "visible") connect();
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
      clock.textContent = new Date(now).toLocaleTimeString(document.documentElement.lang, {
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

  /** A connection can die without a sign: where the power of vigie fails, say. */
  function look() {
    if (Date.now() - seen > SILENCE) {
      lost();
      connect();
    }
    show();
  }

  document.addEventListener("visibilitychange", wake);
  window.addEventListener("online", wake);
  window.addEventListener("pageshow", ({ persisted }) => persisted && wake());
  setInterval(look, LOOK);
  connect();
})();
