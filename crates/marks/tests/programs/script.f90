! Every call of the module, in the order that tests/clients expects.
program script
    use, intrinsic :: iso_c_binding
    use residue
    implicit none
    integer(c_int32_t) :: token, before, left
    integer :: active
    character(len=20) :: padded
    integer(c_int8_t), pointer :: block(:)

    active = merge(1, 0, residue_active())
    call residue_event_begin(1)
    call residue_event_begin(2_c_int64_t, 3)
    token = residue_event_current()
    before = residue_event_enter(token)
    padded = "read"
    call residue_stamp(padded)
    call residue_stamp(repeat("x", 300))
    call residue_count("hits", 2.5d0)
    call residue_count("hits", 2.5)
    call residue_count("hits", 3)
    call residue_count("hits", 4_c_int64_t)
    call residue_scope_begin("digitise")
    call residue_scope_end()
    call residue_pause()
    call residue_resume()
    call residue_pause_all()
    call residue_resume_all()
    call residue_thresholds(64_c_int64_t, 4096_c_int64_t)
    call residue_snapshot("half")
    allocate (block(100))
    call residue_allocated(c_loc(block), 100_c_size_t)
    call residue_freed(c_loc(block))
    deallocate (block)
    left = residue_event_enter(before)
    call residue_event_end(2_c_int64_t, 3)
    call residue_event_end(1)
    print "(a, i0, a, i0, a, i0, a, i0)", "active ", active, " token ", token, " before ", before, " left ", left
end program
