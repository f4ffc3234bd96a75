import { inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { linePicture, renderPng } from '../../../src/slack/pictures/balance-picture.ts';

const FIGURES = {
  title: 'Balance over time',
  categories: ['Start', '1 Nov', '2 Nov & <3 Nov>'],
  series: [
    { name: 'Balance', values: [1000, 940, 1880] },
    { name: 'Threshold', values: [100, 100, 100] },
    { name: 'Topped up', values: [0, 0, 1000] },
  ],
};
const withoutText = (svg: string) => svg.replace(/<text.*?<\/text>/g, '');

/** A picture's width, height and pixel bytes, as filtered for compression. */
function read(png: Uint8Array): { width: number; height: number; pixels: Buffer } {
  const bytes = Buffer.from(png);
  expect(bytes.subarray(1, 4).toString()).toBe('PNG');
  const parts: Buffer[] = [];
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    if (bytes.subarray(at + 4, at + 8).toString() === 'IDAT')
      parts.push(bytes.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  return {
    width: bytes.readUInt32BE(16),
    height: bytes.readUInt32BE(20),
    pixels: inflateSync(Buffer.concat(parts)),
  };
}

test('figures become a picture with words in it, by the font that comes with the bot', () => {
  const svg = linePicture(FIGURES);
  const drawn = read(renderPng(svg));
  expect([drawn.width, drawn.height]).toEqual([960, 420]);
  // Without a font, the renderer omits words without an error.
  const bare = read(renderPng(withoutText(svg)));
  expect(drawn.pixels.equals(bare.pixels)).toBe(false);
  const unknownFont = read(renderPng(svg.replaceAll('DejaVu Sans', 'No Such Font')));
  expect(unknownFont.pixels.equals(bare.pixels)).toBe(false);
});

test('the names at both ends of the axis are not cut', () => {
  const svg = linePicture(FIGURES);
  const anchors = [...svg.matchAll(/text-anchor="(\w+)"[^>]*>(Start|1 Nov|2 Nov)/g)].map(
    ([, anchor]) => anchor,
  );
  expect(anchors).toEqual(['start', 'middle', 'end']);
});

test.each([
  [1, ['0', '1', '2', '3', '4']],
  [5, ['0', '2', '4', '6', '8']],
  [9, ['0', '5', '10', '15', '20']],
  [43, ['0', '20', '40', '60', '80']],
  [950, ['0', '250', '500', '750', '1,000']],
])('the axis of %i credits has whole figures, each at its place', (most, figures) => {
  const svg = linePicture({ ...FIGURES, series: [{ name: 'Balance', values: [0, most, 0] }] });
  expect([...svg.matchAll(/text-anchor="end"[^>]*>([\d,.]+)</g)].map(([, figure]) => figure)).toEqual(
    figures,
  );
});

test('each series has its own line, even if all its figures are zero', () => {
  expect(linePicture(FIGURES).match(/<polyline/g)).toHaveLength(6);
  const nothing = { ...FIGURES, categories: ['Start'], series: [{ name: 'Balance', values: [0] }] };
  expect(linePicture(nothing)).not.toMatch(/NaN|Infinity/);
  expect(read(renderPng(linePicture(nothing))).width).toBe(960);
});
