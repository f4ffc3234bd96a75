import { errors } from 'undici';
import type { NotStartedCause, UnknownCause } from './request-outcome-types.ts';

const CONNECT_CAUSES: Readonly<Record<string, NotStartedCause>> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  EAI_FAIL: 'dns',
  EAI_NODATA: 'dns',
  EAI_NONAME: 'dns',
  ETIMEDOUT: 'connect_timeout',
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
};

const TLS_CODE = /^(ERR_SSL_|ERR_TLS_|CERT_|EPROTO$)|CERT|SELF_SIGNED|ISSUER/;

/**
 * The cause of a failure before the request started. The caller knows that it had not started; the error only says why.
 * `secure`: over TLS. Then a reset at this point means that the handshake failed.
 */
export function connectFailure(error: unknown, secure: boolean): { cause: NotStartedCause; detail?: string } {
  const code = errorCode(error);
  if (code === undefined) return { cause: 'other' };
  const cause =
    CONNECT_CAUSES[code] ?? (TLS_CODE.test(code) || (secure && code === 'ECONNRESET') ? 'tls' : 'other');
  return { cause, detail: code };
}

/** The cause of a failure after the request started; `headersRead`: whether the answer's headers had arrived. */
export function answerFailure(error: unknown, headersRead: boolean): UnknownCause {
  const code = errorCode(error);
  const garbled = error instanceof errors.HTTPParserError && code !== 'HPE_INVALID_EOF_STATE';
  if (garbled || code === 'UND_ERR_HEADERS_OVERFLOW') return 'unreadable';
  return headersRead ? 'truncated' : 'reset';
}

function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z0-9_/]{1,60}$/.test(code) ? code : undefined;
}
