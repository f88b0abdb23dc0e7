import { deadLettersMax } from '@paycode/dto';
import { FromDigits } from '@paycode/service-runtime';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsInt, IsOptional, Max, Min } from 'class-validator';

export class DeadLettersQuery {
  /** Letters older than this one. */
  @IsOptional()
  @FromDigits()
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  before: number = Number.MAX_SAFE_INTEGER;

  @IsOptional()
  @FromDigits()
  @IsInt()
  @Min(1)
  @Max(deadLettersMax)
  limit: number = deadLettersMax;
}

export class DeadLetterIdsBody {
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(deadLettersMax)
  @IsInt({ each: true })
  @Min(1, { each: true })
  @Max(Number.MAX_SAFE_INTEGER, { each: true })
  letterIds!: number[];
}
