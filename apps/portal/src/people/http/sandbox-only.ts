import { invalidField } from '@paycode/service-runtime';

/** What a production portal refuses. */
export class SandboxOnly {
  constructor(private readonly environment: 'sandbox' | 'production') {}

  /** @throws DomainError 400 */
  orRefuse(field: string): void {
    if (this.environment !== 'sandbox') throw invalidField(field, 'is for the sandbox only: people choose their own');
  }
}
