import { type DynamicModule, Module } from '@nestjs/common';
import { PaymentPageController } from './http/payment-page.controller';
import { QrImageController } from './http/qr-image.controller';
import { QrImages } from './page/qr-images';

/** The pages for people: the payment page and QR images. */
@Module({})
export class PaymentPageModule {
  static register({ codes }: { codes: DynamicModule }): DynamicModule {
    return {
      module: PaymentPageModule,
      imports: [codes],
      controllers: [PaymentPageController, QrImageController],
      providers: [{ provide: QrImages, useFactory: () => new QrImages() }],
    };
  }
}
