const STAR = '*'.charCodeAt(0);

/**
 * How many durable changes an append-only file holds. A change is a command, or all commands of a script
 * (MULTI to EXEC). Redis's serialization protocol: `*COUNT`, then for each word `$LENGTH` and its bytes, each with CRLF.
 */
export function writesIn(file: Buffer): number {
  let writes = 0;
  let isWithin = false;
  for (let at = 0; at < file.length; ) {
    if (file[at] !== STAR) throw new Error('this is no append-only file');
    const command: string[] = [];
    const [words, begin] = numberAt(file, at);
    at = begin;
    for (let word = 0; word < words; word += 1) {
      const [length, from] = numberAt(file, at);
      if (word === 0) command.push(file.toString('latin1', from, from + length).toUpperCase());
      at = from + length + 2;
    }
    const [name] = command;
    if (name === 'MULTI') isWithin = true;
    if (name === 'EXEC') isWithin = false;
    if (name !== 'MULTI' && name !== 'SELECT' && !isWithin) writes += 1;
  }
  return writes;
}

/** The number after the mark at this place, and the place of the next line. */
function numberAt(file: Buffer, at: number): [number, number] {
  const end = file.indexOf('\r\n', at);
  return [Number(file.toString('latin1', at + 1, end)), end + 2];
}
