/** What addHttp and renewKey answer: the only places that show a key (R-2.4-5). */
export interface HttpNotificationAnswer {
  merchantId: number;
  url: string;
  version: string;
  /** 32 lower-case hexadecimal characters. */
  encryptKey: string;
}
