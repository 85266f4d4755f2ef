import { int64, text } from '@store-gateway/graphql';
import { builder } from './builder.ts';

const DUE = { type: builder.timestampType(), description: 'When it is due.' };

const Loan = builder.prismaObject('Loan', {
  description: 'That somebody has borrowed a book.',
  resource: { plural: 'loans', about: 'Who has borrowed which book.', audit: true },
  scopes: ['loans'],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier, assigned by the service.' }),
    borrower: t.exposeString('borrower', { description: 'Who has it.', example: 'Ada' }),
    due: t.expose('due', DUE),
    returned: t.expose('returned', {
      type: builder.timestampType(),
      nullable: true,
      description: 'When it was returned.',
    }),
    book: t.relation('book', { description: 'The book.' }),
  }),
});

const BOOK_ID = { rule: int64, description: 'The book.' };

export const loans = builder.listField(Loan, {
  filters: (t) => ({ bookId: t.id(BOOK_ID) }),
  orderBy: ['due', ['-due', 'borrower']],
  ranges: ['due'],
  find: (query, { database }) => database.loan.findMany(query),
});
builder.connectionField(loans);
builder.getField(Loan, { find: (query, { database }) => database.loan.findUnique(query) });

builder.createField(Loan, {
  input: (t) => ({
    borrower: t.string({ required: true, rule: text(1, 200), description: 'Who has the book.' }),
    due: t.field({ ...DUE, required: true }),
    bookId: t.id({ ...BOOK_ID, required: true }),
  }),
  create: (query, { database }) => database.loan.create(query),
});

builder.updateField(Loan, {
  name: 'returnLoan',
  description: 'Notes that the book has been returned.',
  find: (query, { database }) => database.loan.findUnique(query),
  update: ({ data: _none, ...query }, { database, now }) =>
    database.loan.update({ ...query, data: { returned: new Date(now()) } }),
});
builder.deleteField(Loan, {
  find: (query, { database }) => database.loan.findUnique(query),
  delete: (query, { database }) => database.loan.delete(query),
});
