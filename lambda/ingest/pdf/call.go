package pdf

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"time"

	"matchbook/lambda/failure"

	"github.com/tetratelabs/wazero/api"
)

// calls is a series of calls of the parser. After a failed call the others return 0, so only
// loops and the end of the series must check err.
type calls struct {
	ctx    context.Context
	module api.Module
	err    error
}

func (c *calls) call(function string, args ...uint64) uint64 {
	if c.err != nil {
		return 0
	}
	f := c.module.ExportedFunction(function)
	if f == nil {
		c.err = errors.New("unknown function of the PDF parser: " + function)
		return 0
	}
	var results []uint64
	if results, c.err = f.Call(c.ctx, args...); c.err != nil || len(results) == 0 {
		return 0
	}
	return results[0]
}

// number is call for functions that return a C int.
func (c *calls) number(function string, args ...uint64) int {
	return int(int32(uint32(c.call(function, args...))))
}

var errMemory = errors.New("PDF parser is out of memory")

// alloc returns the address of memory inside the parser. The memory lasts as long as the
// instance unless you call free.
func (c *calls) alloc(n int) uint64 {
	address := c.call("malloc", uint64(n))
	if address == 0 && c.err == nil {
		c.err = errMemory
	}
	return address
}

func (c *calls) free(address uint64) { c.call("free", address) }

// view returns memory of the parser without a copy. Use it before the next call.
func (c *calls) view(address uint64, n int) []byte {
	if c.err != nil {
		return nil
	}
	b, ok := c.module.Memory().Read(uint32(address), uint32(n))
	if !ok {
		c.err = errMemory
	}
	return b
}

func (c *calls) float(address uint64, i int) float64 {
	b := c.view(address+uint64(4*i), 4)
	if b == nil {
		return 0
	}
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
}

func (c *calls) int(address uint64, i int) int {
	b := c.view(address+uint64(4*i), 4)
	if b == nil {
		return 0
	}
	return int(int32(binary.LittleEndian.Uint32(b)))
}

// do runs an operation within its time. A failure inside the parser leaves it in an unknown
// state, so the document is dead from then on.
func (d *Document) do(ctx context.Context, operation string, work func(*calls) error) error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.dead != nil {
		return d.dead
	}
	limited, cancel := context.WithTimeout(ctx, min(d.config.Time, d.left))
	defer cancel()
	c, start := &calls{ctx: limited, module: d.module}, time.Now()
	err := work(c)
	d.left -= time.Since(start)
	if c.err != nil {
		err = d.failed(ctx, limited, operation)
		d.dead = err
	}
	return err
}

func (d *Document) failed(ctx, limited context.Context, operation string) error {
	const remedy = "print it to a new PDF and send that"
	switch {
	case ctx.Err() != nil:
		return failure.At(operation, ctx.Err())
	case limited.Err() != nil && d.left <= 0:
		return failure.Permanently("%s: parsing the PDF took more than %v; split it, or %s",
			operation, d.config.Total, remedy)
	case limited.Err() != nil:
		return failure.Permanently("%s: PDF parser did not finish within %v, so the file is damaged or far too complex; %s",
			operation, d.config.Time, remedy)
	}
	return failure.Permanently("%s: PDF is damaged, or needs more than the parser's %d MB of memory; %s",
		operation, d.config.Memory, remedy)
}
