// Stands before the page's own scripts and keeps what goes wrong in them.
window.complaints = [];
addEventListener("error", event => window.complaints.push("error: " + event.message + " at " + event.lineno));
addEventListener("unhandledrejection", event => window.complaints.push("rejected: " + event.reason));
addEventListener("securitypolicyviolation", event => window.complaints.push("policy: " + event.violatedDirective + " " + event.blockedURI));
for (const level of ["error", "warn"]) {
  const say = console[level];
  console[level] = (...what) => { window.complaints.push(level + ": " + what.join(" ")); say.apply(console, what); };
}
