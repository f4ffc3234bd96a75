import { openSqlite } from '../helpers/ledger-files.ts';
import { ledgerModel } from './ledger.model.ts';

ledgerModel('SQLite', openSqlite, 200);
