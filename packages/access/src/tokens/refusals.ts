/** A token that is not valid; `message` says why, for the log only. */
export class InvalidToken extends Error {
  /** Whether it was valid before. */
  readonly hasExpired: boolean;

  constructor(reason: string, hasExpired = false) {
    super(reason);
    this.name = 'InvalidToken';
    this.hasExpired = hasExpired;
  }
}

/** Whether a token is valid can't be told: its key is unknown, and the provider can't be asked. */
export class ProviderUnavailable extends Error {
  constructor() {
    super('the identity provider cannot be asked for the key of an access token');
    this.name = 'ProviderUnavailable';
  }
}
