import { crc32, deflateSync, inflateSync } from 'node:zlib';

/** The same picture (8-bit RGB or RGBA) in fewer bytes: flat colours compress best without PNG's filters. */
export function smallPng(png: Buffer): Buffer {
  const chunks = chunksOf(png);
  const head = chunks.find(({ type }) => type === 'IHDR')?.data ?? Buffer.alloc(0);
  const pixels = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data));
  const size = head[9] === 6 ? 4 : 3;
  const rows = unfiltered(inflateSync(pixels), head.readUInt32BE(0) * size, size);
  return Buffer.concat([
    png.subarray(0, 8),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunksOf(png: Buffer): { type: string; data: Buffer }[] {
  const chunks: { type: string; data: Buffer }[] = [];
  for (let at = 8; at < png.length; ) {
    const end = at + 8 + png.readUInt32BE(at);
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, end) });
    at = end + 4;
  }
  return chunks;
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const around = Buffer.alloc(8);
  around.writeUInt32BE(data.length, 0);
  around.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([around.subarray(0, 4), named, around.subarray(4)]);
}

/** Rows of `width` bytes, each after its filter byte: www.w3.org/TR/png-3/#9Filters. */
function unfiltered(raw: Buffer, width: number, size: number): Buffer {
  const rows = Buffer.alloc(raw.length);
  for (let start = 0; start < raw.length; start += width + 1) {
    for (let at = start + 1; at <= start + width; at++) {
      const isFirst = at - start <= size;
      const left = isFirst ? 0 : (rows[at - size] ?? 0);
      const up = rows[at - width - 1] ?? 0;
      const corner = isFirst ? 0 : (rows[at - width - 1 - size] ?? 0);
      rows[at] = (raw[at] ?? 0) + guess(raw[start] ?? 0, left, up, corner);
    }
  }
  return rows;
}

function guess(filter: number, left: number, up: number, corner: number): number {
  if (filter === 4) {
    const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
    if (a <= b && a <= c) return left;
    return b <= c ? up : corner;
  }
  return [0, left, up, (left + up) >> 1][filter] ?? 0;
}
