import { join } from 'node:path';
import { Resvg } from '@resvg/resvg-js';

/** The renderer draws no text, and reports no error, without a font: ours is beside this file. */
const FONT_FILE = join(import.meta.dirname, 'DejaVuSans.ttf');

/** An SVG as a PNG. Its only font is DejaVu Sans, whatever the machine has. Takes some ms of the event loop. */
export function renderPng(svg: string): Uint8Array {
  const font = { fontFiles: [FONT_FILE], loadSystemFonts: false, defaultFontFamily: 'DejaVu Sans' };
  return new Resvg(svg, { font }).render().asPng();
}
