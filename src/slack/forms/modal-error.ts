/** Slack opened no modal, so nothing was begun. */
export class ModalError extends Error {
  override readonly name = 'ModalError';
  readonly code = 'modal_not_opened';

  constructor(options?: ErrorOptions) {
    super('Slack opened no modal.', options);
  }
}
