// Package einvoice reads electronic business documents into structured data:
// UBL 2 (Invoice, CreditNote, Order, OrderResponse, DespatchAdvice,
// ReceiptAdvice) and UN/CEFACT Cross Industry Invoice (D16B, and ZUGFeRD 1
// before it), in the profiles of Factur-X, ZUGFeRD, XRechnung and Peppol.
//
// A file takes three steps:
//
//   - tree.go decodes it into elements of the format's vocabulary. Name spaces
//     count by their URI, never by their prefix. Bytes, depth, elements and
//     text are bounded; a document type declaration is refused, and with it
//     all entities.
//   - The tables in ubl.go and cii.go hold the place of each field. ZUGFeRD 1
//     is CII with other names: a table of names turns it into CII.
//   - mapping.go reads the fields at those places.
//
// Read copies, it does not compute: decimals keep their exact value, dates
// become ISO dates, and whether the totals add up is for the caller to check.
// Only quantity x price is compared with a line's amount, see product.
// Values that cannot be read are Problems of the document. A file that is
// broken, foreign or of a type that Matchbook does not match is Refused, with
// the reason. Neither contains text of the document.
//
// Some content is left out on purpose:
//
//   - A buyer's reference and a payment reference route a document or a payment;
//     they are no numbers of other documents.
//   - An attachment is a part of the document, so that its name is no reference.
//   - Periods of delivery and validity are not the period that is billed.
//   - Lines below lines (an XRechnung extension) repeat the amount of the line
//     above them.
package einvoice
