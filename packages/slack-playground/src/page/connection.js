// @ts-check

/** How long until a connection that was refused is tried again, ms. */
const AGAIN_MS = 1500;

/**
 * The stream of states of one person's screen.
 * @param {{ onState: (state: import('../page-state.ts').PageState) => void, onLost: () => void }} listeners
 */
export function createConnection({ onState, onLost }) {
  /** @type {EventSource | undefined} */
  let source;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let again;

  /** Shows the screen of this person from now on. @param {string} person An empty id: whoever the server begins with. */
  function open(person) {
    clearTimeout(again);
    source?.close();
    const own = new EventSource(person ? `/events?as=${encodeURIComponent(person)}` : '/events');
    source = own;
    own.onmessage = (event) => onState(JSON.parse(event.data));
    own.onerror = () => {
      if (own !== source) return;
      onLost();
      // The browser tries again by itself unless the answer was no stream at all, as for somebody who is not there.
      if (own.readyState === EventSource.CLOSED) again = setTimeout(() => open(''), AGAIN_MS);
    };
  }

  return { open };
}
