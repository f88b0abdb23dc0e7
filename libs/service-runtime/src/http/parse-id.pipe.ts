import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { idOf, idRule } from '@paycode/dto';
import { invalidField } from '../domain-error';

/** `@Param('merchantId', ParseIdPipe) merchantId: number`: an id in a path. */
@Injectable()
export class ParseIdPipe implements PipeTransform<string, number> {
  /** @throws DomainError 400 that names the parameter */
  transform(text: string, { data = 'id' }: ArgumentMetadata): number {
    const id = idOf(text);
    if (id === undefined) throw invalidField(data, idRule);
    return id;
  }
}
