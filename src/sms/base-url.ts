const VERSION_PATH = '/api/v1';

/**
 * Checks the address of the service and returns it without a slash at its end, e.g. `https://host/api/v1`
 * ("Versioning": the path ends with the version segment). Plain http is for loopback hosts only, since every request
 * carries the API key.
 * @throws Error whose message says how to mend the address, and does not repeat it
 */
export function parseBaseUrl(text: string): string {
  const trimmed = text.trim();
  const url = URL.parse(trimmed);
  if (!url || /\s/.test(trimmed)) {
    throw new Error(`The address is not a URL. Write it as https://host${VERSION_PATH}.`);
  }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw new Error(
      'The address must begin with https://. Plain http:// is for this machine only (localhost, 127.0.0.1, [::1]).',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new Error(
      'The address must not contain a user name or password. The API key is added per instance.',
    );
  }
  if (/[?#]/.test(url.href)) {
    throw new Error('The address must not contain a query (?) or a fragment (#).');
  }
  const path = url.pathname.replace(/\/$/, '');
  if (!path.endsWith(VERSION_PATH)) {
    throw new Error(`The address must end with ${VERSION_PATH}.`);
  }
  return url.origin + path;
}

/** Whether a host name, as URL writes it, is this machine: 127.0.0.0/8, [::1] or localhost. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
