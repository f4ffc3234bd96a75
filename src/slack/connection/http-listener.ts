import type { RequestListener } from 'node:http';
import { parse } from 'node:querystring';
import { HTTPModuleFunctions, type HTTPReceiver } from '@slack/bolt';
import type { Logger } from 'pino';

const MOST_BODY_BYTES = 1024 * 1024;

/**
 * Hands requests to the receiver, signed or not. A body that is too large gets 413. JSON's `null` gets 400: the receiver
 * would throw an error that nobody catches, and the process would end.
 */
export function createHttpListener(receiver: HTTPReceiver, log: Logger): RequestListener {
  return async (request, response) => {
    let whole: Whole;
    try {
      // The receiver uses what was read here, and reads no more.
      whole = await HTTPModuleFunctions.bufferIncomingMessage(request, MOST_BODY_BYTES);
    } catch (error) {
      const isTooLarge = HTTPModuleFunctions.isRawBodyError(error) && error.statusCode === 413;
      log.warn({ isTooLarge }, 'a request was refused: its body could not be read');
      response.writeHead(isTooLarge ? 413 : 400).end();
      return;
    }
    if (isNull(whole)) {
      log.warn('a request was refused: its body is null');
      response.writeHead(400).end();
      return;
    }
    receiver.requestListener(whole, response);
  };
}

type Whole = Awaited<ReturnType<typeof HTTPModuleFunctions.bufferIncomingMessage>>;

/** The word `null`, or one of its letters as a form may encode it. */
const MAY_SAY_NULL = /null|%(?:6e|75|6c)/i;

/** Parses no JSON: nobody has checked the signature yet. Reads a thousand fields at most: more could take seconds. */
function isNull({ rawBody }: Whole): boolean {
  const text = rawBody.toString();
  if (!MAY_SAY_NULL.test(text)) return false;
  return [text, parse(text).payload].flat().some((json) => json?.trim() === 'null');
}
