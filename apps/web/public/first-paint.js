// Sets the colour scheme before anything is painted, so that a dark page does not begin white. A file of its own, because
// the content policy allows no script in the page.
(function () {
  var wanted = "auto";
  try {
    // What the user chose here, else what the settings said last time.
    wanted = localStorage.getItem("orchestra.color-scheme") || localStorage.getItem("orchestra.theme") || "auto";
  } catch (error) {
    // Storage that may not be read says nothing.
  }
  var isDark = wanted === "dark" || (wanted === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", isDark ? "dark" : "light");
})();
