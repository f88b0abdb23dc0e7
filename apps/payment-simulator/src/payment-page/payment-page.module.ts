import { type DynamicModule, Module } from '@nestjs/common';
import type { CodesModule } from '../codes';
import { PaymentPageController } from './http/payment-page.controller';
import { QrImageController } from './http/qr-image.controller';
import { QrImages } from './page/qr-images';

/** What people see: the payment page and QR images. */
@Module({})
export class PaymentPageModule {
  static withCodes(codes: ReturnType<typeof CodesModule.withSettings>): DynamicModule {
    return {
      module: PaymentPageModule,
      imports: [codes],
      controllers: [PaymentPageController, QrImageController],
      providers: [{ provide: QrImages, useFactory: () => new QrImages() }],
    };
  }
}
