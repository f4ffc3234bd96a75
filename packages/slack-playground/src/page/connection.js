// @ts-check

/** How long until the page tries again after the server refused the connection, ms. */
const AGAIN_MS = 1500;

/**
 * The server-sent events with the states of one person's screen.
 * @param {{ onState: (state: import('../page-state.ts').PageState) => void, onLost: () => void }} listeners
 */
export function createConnection({ onState, onLost }) {
  /** @type {EventSource | undefined} */
  let source;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let again;

  /** Gets the screen of this person from now on. @param {string} person Empty: the server's first person. */
  function open(person) {
    clearTimeout(again);
    source?.close();
    const own = new EventSource(person ? `/events?as=${encodeURIComponent(person)}` : '/events');
    source = own;
    own.onmessage = (event) => onState(JSON.parse(event.data));
    own.onerror = () => {
      if (own !== source) return;
      onLost();
      // The browser itself tries again, unless the server refused the stream, as for an unknown person.
      if (own.readyState === EventSource.CLOSED) again = setTimeout(() => open(''), AGAIN_MS);
    };
  }

  return { open };
}
