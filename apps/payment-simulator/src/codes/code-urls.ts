/** Addresses people reach codes by. */
export class CodeUrls {
  /** `publicBaseUrl`: what people's devices can reach, e.g. `https://localhost:8443`. */
  constructor(private readonly publicBaseUrl: string) {}

  /** The payment page of a code: what its QR image says. */
  payUrlOf(code: string): string {
    return `${this.publicBaseUrl}/public/pay/${code}`;
  }

  /** The code in what a wallet scanned: the 10 digits, or the address of the payment page. */
  codeIn(scanned: string): string {
    const prefix = this.payUrlOf('');
    return scanned.startsWith(prefix) ? scanned.slice(prefix.length) : scanned;
  }
}
