import type { Switches } from './switches.ts';

/** An answer before it is put on the wire. */
export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Sentences by the field in error, written as `messages.3.phone`. */
export type FieldErrors = Record<string, string[]>;

const unknownField = { x_unknown: { since: 'some version', list: [1, null, 'two'] } };

export type Replies = ReturnType<typeof createReplies>;

/** The answers of the service ("Error object", "Errors"). Each answer obeys the switches of that moment. */
export function createReplies(switches: () => Switches) {
  /** Undocumented fields, for each object of an answer. */
  const extras = () => (switches().extraFields ? unknownField : {});

  function json(status: number, body: object): Reply {
    const text = JSON.stringify({ ...body, ...extras() });
    return { status, headers: { 'Content-Type': 'application/json' }, body: text };
  }

  function failure(status: number, code: string, message: string, more: object = {}): Reply {
    return json(status, { success: false, error: { code, message, ...more, ...extras() } });
  }

  function tooMany(code: string, message: string): Reply {
    switch (switches().tooManyBody) {
      case 'error_object':
        return failure(429, code, message);
      case 'plain_text':
        return { status: 429, headers: { 'Content-Type': 'text/plain' }, body: 'Too Many Requests' };
      case 'html':
        return htmlPage(429, 'Too Many Requests');
      case 'empty':
        return { status: 429, headers: {}, body: '' };
    }
  }

  return {
    success: (status: number, data: object) =>
      json(status, { success: true, data: { ...data, ...extras() } }),
    extras,
    failure,
    missingKey: () => failure(401, 'MISSING_API_KEY', 'The API key is missing from the request headers.'),
    invalidKey: () => failure(401, 'INVALID_API_KEY', 'The API key is invalid or does not exist.'),
    invalid(fields: FieldErrors): Reply {
      const list = Object.entries(fields).flatMap(([field, sentences]) =>
        sentences.map((message) => ({ field, message })),
      );
      const { errorDetails } = switches();
      const details = errorDetails === 'none' ? {} : { details: errorDetails === 'list' ? list : fields };
      return failure(422, 'VALIDATION_ERROR', 'The request is not valid.', details);
    },
    shortOfCredits: (required_credits: number, available_credits: number) =>
      failure(402, 'INSUFFICIENT_CREDITS', 'The balance is too low for this request.', {
        required_credits,
        available_credits,
      }),
    /** Over the request rate; the service takes the next request after `waitMs`. */
    tooFast(waitMs: number): Reply {
      const reply = tooMany('RATE_LIMIT_EXCEEDED', 'Too many requests in this minute.');
      if (switches().retryAfter) reply.headers['Retry-After'] = String(Math.ceil(waitMs / 1000));
      return reply;
    },
    tooManyMessages: () => tooMany('BULK_LIMIT_EXCEEDED', 'Too many messages in one request.'),
    serverError: () => failure(500, 'SERVER_ERROR', 'An unexpected error occurred. Please try again later.'),
    badGateway: () => htmlPage(502, 'Bad Gateway'),
  };
}

function htmlPage(status: number, title: string): Reply {
  const body = `<html>\r\n<head><title>${status} ${title}</title></head>\r\n<body><h1>${status} ${title}</h1></body>\r\n</html>\r\n`;
  return { status, headers: { 'Content-Type': 'text/html' }, body };
}
