
"use strict";
(() => {
  const live = document.getElementById("live");
  let answered = Date.now();
  const show = () => {
    const late = Math.round((Date.now() - answered) / 1000);
    live.textContent = late > 6 ? "No answer for " + late + " s: these figures are old." : "Live.";
  };
  const ask = async () => {
    if (!document.hidden) {
      try {
        const answer = await fetch(location.pathname, { cache: "no-store" });
        if (answer.ok) {
          const text = await answer.text();
          const fresh = new DOMParser().parseFromString(text, "text/html").querySelector("main");
          const old = document.querySelector("main");
          if (fresh && fresh.innerHTML !== old.innerHTML) {
            old.replaceWith(document.adoptNode(fresh));
          }
          answered = Date.now();
        }
      } catch (e) {
        // The daemon is away; the line above says for how long.
      }
      show();
    }
    setTimeout(ask, 2000);
  };
  document.addEventListener("visibilitychange", () => { answered = Date.now(); });
  show();
  setTimeout(ask, 1000);
})();
