// @ts-check

const BETWEEN = [',', ';', '\t'];

/** The separator that occurs most often in the first line. @param {string} text */
function separatorOf(text) {
  const [first = ''] = text.split('\n', 1);
  const count = (/** @type {string} */ one) => first.split(one).length;
  return BETWEEN.reduce((best, one) => (count(one) > count(best) ? one : best));
}

/**
 * The first rows of a CSV text (RFC 4180), also with semicolons or tabs instead of commas.
 * @param {string} text
 * @param {number} most How many rows at most.
 * @returns {{ rows: string[][], more: boolean }}
 */
export function readCsv(text, most) {
  const separator = separatorOf(text);
  /** @type {string[][]} */
  const rows = [];
  /** @type {string[]} */
  let row = [];
  let cell = '';
  let quoted = false;
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  const endRow = () => {
    row.push(cell);
    // Skips empty lines.
    if (row.length > 1 || cell !== '') rows.push(row);
    row = [];
    cell = '';
  };
  for (; at < text.length && rows.length < most; at += 1) {
    const sign = text[at];
    if (quoted && sign === '"' && text[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else if (sign === '"' && (quoted || cell === '')) {
      quoted = !quoted;
    } else if (!quoted && sign === separator) {
      row.push(cell);
      cell = '';
    } else if (!quoted && sign === '\n') {
      endRow();
    } else if (quoted || sign !== '\r') {
      cell += sign;
    }
  }
  if (rows.length < most) endRow();
  return { rows, more: text.slice(at).trim() !== '' };
}
