import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Locator, Page } from 'playwright-core';

/** Makes the film in a browser's page, which reads the screenshots and draws on them. */
const ENCODER = createRequire(import.meta.url).resolve('modern-gif/dist/index.js');
const ENCODE = `async (shots) => {
  const canvas = document.createElement('canvas');
  const pencil = canvas.getContext('2d', { willReadFrequently: true });
  const pointer = new Path2D('M0 0V17L4 13.2L6.6 19.2L9.4 18L6.8 12.2H12.3Z');
  const frames = [];
  for (const { png, holdMs, pressedAt } of shots) {
    const picture = new Image();
    picture.src = 'data:image/png;base64,' + png;
    await picture.decode();
    canvas.width = picture.width;
    canvas.height = picture.height;
    pencil.drawImage(picture, 0, 0);
    if (pressedAt) {
      pencil.translate(pressedAt.x, pressedAt.y);
      pencil.scale(1.4, 1.4);
      pencil.strokeStyle = 'white';
      pencil.lineWidth = 2;
      pencil.stroke(pointer);
      pencil.fill(pointer);
    }
    frames.push({ data: pencil.getImageData(0, 0, canvas.width, canvas.height).data, delay: holdMs });
  }
  const { width, height } = canvas;
  const gif = await modernGif.encode({ width, height, frames });
  return new Uint8Array(gif).toBase64();
}`;

interface Shot {
  /** The screenshot in base64. */
  png: string;
  holdMs: number;
  /** The place of the drawn mouse pointer. */
  pressedAt?: { x: number; y: number };
}

/** A film of a page's states. */
export interface Film {
  /** Adds the page's state for `holdMs`, with the pointer on the next click's target. */
  show(holdMs: number, pressed?: Locator): Promise<void>;
  /** Writes the states as an animated GIF. */
  save(file: string, browser: Browser): Promise<void>;
}

/** Films this part of a page. */
export function createFilm(page: Page, part: Locator): Film {
  const shots: Shot[] = [];

  return {
    async show(holdMs, pressed) {
      const clip = await boxOf(part);
      await pressed?.hover();
      const at = pressed && (await boxOf(pressed));
      const png = await page.screenshot({ clip, animations: 'disabled' });
      shots.push({
        png: png.toString('base64'),
        holdMs,
        ...(at && { pressedAt: { x: at.x + at.width / 2 - clip.x, y: at.y + at.height * 0.7 - clip.y } }),
      });
    },
    async save(file, browser) {
      const studio = await browser.newPage();
      await studio.addScriptTag({ path: ENCODER });
      const gif = await studio.evaluate<string>(`(${ENCODE})(${JSON.stringify(shots)})`);
      writeFileSync(file, Buffer.from(gif, 'base64'));
      await studio.close();
    },
  };
}

async function boxOf(locator: Locator) {
  const box = await locator.boundingBox();
  if (!box) throw new Error('There is nothing to be filmed.');
  return box;
}
