/** How Slack calls a file, as far as people hand such files around; anything else is `binary`. */
const TYPES: { [extension: string]: { filetype: string; mimetype: string; pretty_type: string } } = {
  csv: { filetype: 'csv', mimetype: 'text/csv', pretty_type: 'CSV' },
  tsv: { filetype: 'tsv', mimetype: 'text/tab-separated-values', pretty_type: 'TSV' },
  txt: { filetype: 'text', mimetype: 'text/plain', pretty_type: 'Plain Text' },
  log: { filetype: 'text', mimetype: 'text/plain', pretty_type: 'Plain Text' },
  md: { filetype: 'markdown', mimetype: 'text/markdown', pretty_type: 'Markdown' },
  html: { filetype: 'html', mimetype: 'text/html', pretty_type: 'HTML' },
  json: { filetype: 'json', mimetype: 'application/json', pretty_type: 'JSON' },
  pdf: { filetype: 'pdf', mimetype: 'application/pdf', pretty_type: 'PDF' },
  xlsx: {
    filetype: 'xlsx',
    mimetype: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    pretty_type: 'Excel Spreadsheet',
  },
  zip: { filetype: 'zip', mimetype: 'application/zip', pretty_type: 'Zip' },
  png: { filetype: 'png', mimetype: 'image/png', pretty_type: 'PNG' },
  gif: { filetype: 'gif', mimetype: 'image/gif', pretty_type: 'GIF' },
  jpg: { filetype: 'jpg', mimetype: 'image/jpeg', pretty_type: 'JPEG' },
  jpeg: { filetype: 'jpg', mimetype: 'image/jpeg', pretty_type: 'JPEG' },
};

const BINARY = { filetype: 'binary', mimetype: 'application/octet-stream', pretty_type: 'Binary' };

/** What follows the last dot of a name, in lower case; empty if there is no dot. */
export function extensionOf(name: string): string {
  return /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
}

/** The type of a file, by its name. */
export function typeOf(name: string): (typeof TYPES)[string] {
  return TYPES[extensionOf(name)] ?? BINARY;
}

/** Whether people can read it as it is: Slack shows such a file as a snippet. */
export function isText(mimetype: string): boolean {
  return mimetype.startsWith('text/') || mimetype === 'application/json';
}

/** Whether Slack shows it as a picture. */
export function isPicture(mimetype: string): boolean {
  return mimetype.startsWith('image/');
}
