/** Slack's names of common file types: `filetype`, `mimetype`, `pretty_type`. */
const TYPES: { [extension: string]: [string, string, string] } = {
  csv: ['csv', 'text/csv', 'CSV'],
  tsv: ['tsv', 'text/tab-separated-values', 'TSV'],
  txt: ['text', 'text/plain', 'Plain Text'],
  log: ['text', 'text/plain', 'Plain Text'],
  md: ['markdown', 'text/markdown', 'Markdown'],
  html: ['html', 'text/html', 'HTML'],
  json: ['json', 'application/json', 'JSON'],
  pdf: ['pdf', 'application/pdf', 'PDF'],
  xlsx: ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'Excel Spreadsheet'],
  zip: ['zip', 'application/zip', 'Zip'],
  png: ['png', 'image/png', 'PNG'],
  gif: ['gif', 'image/gif', 'GIF'],
  jpg: ['jpg', 'image/jpeg', 'JPEG'],
  jpeg: ['jpg', 'image/jpeg', 'JPEG'],
};

/** The part of a name after its last dot, in lower case; empty if there is no dot. */
export function extensionOf(name: string): string {
  return /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
}

/** The type of a file, by its name. */
export function typeOf(name: string): { filetype: string; mimetype: string; pretty_type: string } {
  const extension = extensionOf(name);
  const known = Object.hasOwn(TYPES, extension) ? TYPES[extension] : undefined;
  const [filetype, mimetype, pretty_type] = known ?? ['binary', 'application/octet-stream', 'Binary'];
  return { filetype, mimetype, pretty_type };
}

/** Whether it is text: Slack shows such a file as a snippet. */
export function isText(mimetype: string): boolean {
  return mimetype.startsWith('text/') || mimetype === 'application/json';
}

/** Whether Slack shows it as a picture. */
export function isPicture(mimetype: string): boolean {
  return mimetype.startsWith('image/');
}
