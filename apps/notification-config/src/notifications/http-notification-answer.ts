/** Answer of addHttp and renewKey, the only endpoints that show a key (R-2.4-5). */
export interface HttpNotificationAnswer {
  merchantId: number;
  url: string;
  version: string;
  /** 32 lower-case hexadecimal characters. */
  encryptKey: string;
}
