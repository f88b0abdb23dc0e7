import { Injectable } from '@nestjs/common';
import { ValidateUrlService } from '../probing';
import { CheckUrlService } from './check-url.service';
import { RenewKeyService } from './renew-key.service';
import { SendTestService } from './send-test.service';
import { SetHttpNotificationService } from './set-http-notification.service';

/** What is done to a URL. */
@Injectable()
export class UrlUseCases {
  constructor(
    readonly set: SetHttpNotificationService,
    readonly keys: RenewKeyService,
    readonly checks: CheckUrlService,
    readonly urls: ValidateUrlService,
    readonly tests: SendTestService,
  ) {}
}
