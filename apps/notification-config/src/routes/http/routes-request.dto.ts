import type { RoutesRequest } from '@paycode/dto';
import { ArrayMaxSize, IsArray, IsInt, Max, Min } from 'class-validator';

/** Body of POST /internal/routes. */
export class RoutesRequestBody implements RoutesRequest {
  @IsArray()
  @ArrayMaxSize(1_000)
  @IsInt({ each: true })
  @Min(1, { each: true })
  @Max(Number.MAX_SAFE_INTEGER, { each: true })
  merchantIds!: number[];
}
