/** Puts each text into a page, between the comments `<!-- NAME -->` and `<!-- end of NAME -->`. */
export function fillPage(page: string, texts: { [name: string]: string }): string {
  return Object.entries(texts).reduce((filled, [name, text]) => {
    const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
    const [from, to] = [filled.indexOf(begin), filled.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`the page has no place for ${name}`);
    return `${filled.slice(0, from + begin.length)}\n\n${text}\n\n${filled.slice(to)}`;
  }, page);
}
