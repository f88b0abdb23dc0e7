import { IsIn, IsInt, IsString, Length, Max, Min, ValidateBy } from 'class-validator';
import { Transform } from 'class-transformer';
import { type Channel, channels, validTypesText } from '@paycode/dto';
import { payloadVersions } from '../domain/notification-configuration';
import { isRecipientValue, validValuesText } from '../domain/recipient';

/** Body of list and renewKey. Numbers are numbers: "25" is refused. */
export class MerchantRequest {
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  merchantId!: number;
}

/** Body of addHttp. */
export class AddHttpRequest extends MerchantRequest {
  @IsString()
  @Length(1, 2_048)
  url!: string;

  @IsIn(payloadVersions, { message: 'version must be V3' })
  version!: string;
}

const trimmed = ({ value }: { value: unknown }): unknown => (typeof value === 'string' ? value.trim() : value);

/** Checks the value only for a known type; an unknown type has its own error (R-7-11). */
function isValueOfType(value: unknown, request: AddRecipientRequest): boolean {
  return !channels.includes(request.type) || (typeof value === 'string' && isRecipientValue(request.type, value));
}

/** Body of extra. */
export class AddRecipientRequest extends MerchantRequest {
  @IsIn(channels, { message: validTypesText })
  type!: Channel;

  @Transform(trimmed)
  @IsString()
  @ValidateBy({
    name: 'isRecipientValue',
    validator: {
      validate: (value, context) => isValueOfType(value, context!.object as AddRecipientRequest),
      defaultMessage: () => validValuesText,
    },
  })
  value!: string;
}
