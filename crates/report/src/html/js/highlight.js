// C for the eye: comments, texts, numbers, keywords, directives.

const WORDS = /^(?:auto|break|case|char|const|continue|default|do|double|else|enum|extern|float|for|goto|if|inline|int|long|register|restrict|return|short|signed|sizeof|static|struct|switch|typedef|union|unsigned|void|volatile|while|_Bool|bool|size_t|NULL)$/;
const TOKEN = /\/\/.*|\/\*[^]*?(?:\*\/|$)|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|\bMPI_\w+|[A-Za-z_]\w*|(?:0[xX][\da-fA-F]+|\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)[uUlLfF]*|\s+|[^\s\w"'/]+|\//g;

function kindOf(token) {
  if (token.startsWith("//") || token.startsWith("/*")) return "c";
  if (/^["']/.test(token)) return "t";
  if (token.startsWith("MPI_")) return "m";
  if (/^[\d.]/.test(token) && /\d/.test(token)) return "n";
  return WORDS.test(token) ? "k" : "";
}

/** For each line: its tokens as [kind, text]. */
const tokensOf = lazily(file => {
  let inComment = false;
  return linesOf(file).map(text => {
    const tokens = [];
    let rest = text;
    if (inComment) {
      const end = rest.indexOf("*/");
      const cut = end < 0 ? rest.length : end + 2;
      tokens.push(["c", rest.slice(0, cut)]);
      rest = rest.slice(cut);
      inComment = end < 0;
    }
    if (!inComment && tokens.length === 0 && /^\s*#/.test(rest)) return [["d", rest]];
    for (const [token] of rest.matchAll(TOKEN)) {
      tokens.push([kindOf(token), token]);
      if (token.startsWith("/*") && !token.endsWith("*/")) inComment = true;
    }
    return tokens;
  });
});

/** A line with columns `from` to `to` (from 1, both included) marked. */
function shownLine(tokens, from, to) {
  const pieces = [];
  let column = 1;
  for (const [kind, text] of tokens) {
    const cuts = [from - column, to + 1 - column].filter(cut => cut > 0 && cut < text.length);
    let begin = 0;
    for (const end of [...new Set(cuts), text.length].sort((a, b) => a - b)) {
      const inside = column + begin >= from && column + begin <= to;
      const tag = inside ? "mark" : "span";
      pieces.push(kind || inside ? h(tag, { class: kind ? "tok-" + kind : null }, text.slice(begin, end)) : text.slice(begin, end));
      begin = end;
    }
    column += text.length;
  }
  return pieces;
}
