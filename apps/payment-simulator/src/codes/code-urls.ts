/** URLs of codes for people. */
export class CodeUrls {
  /** `publicBaseUrl`: base URL for people's devices, e.g. `https://localhost:8443`. */
  constructor(private readonly publicBaseUrl: string) {}

  /** The payment page of a code, which is the content of its QR image. */
  payUrlOf(code: string): string {
    return `${this.publicBaseUrl}/public/pay/${code}`;
  }

  /** The code in a scanned text: the 10 digits, or the address of the payment page. */
  codeIn(scanned: string): string {
    const prefix = this.payUrlOf('');
    return scanned.startsWith(prefix) ? scanned.slice(prefix.length) : scanned;
  }
}
